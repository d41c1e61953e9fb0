//! Latencies of requests.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use signup_benches::Latencies;

/// The minimum number of answers for a p99.9. With fewer answers the percentile rests on fewer than ten.
const ENOUGH_FOR_P999: u64 = 10_000;

/// A histogram of latencies in microseconds, to three digits. The serialized form is a list of values and counts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub(crate) struct Times(Histogram<u64>);

impl Times {
    /// Returns an empty histogram. It records a latency of more than a minute as a minute.
    pub(crate) fn none() -> Self {
        Self(Histogram::new_with_bounds(1, 60_000_000, 3).unwrap())
    }

    pub(crate) fn record(&mut self, time: Duration) {
        self.0.saturating_record(u64::try_from(time.as_micros()).unwrap());
    }

    pub(crate) fn add(&mut self, others: &Self) {
        self.0.add(&others.0).unwrap();
    }

    #[expect(clippy::cast_precision_loss, reason = "figures to print")]
    pub(crate) fn answers(&self) -> f64 {
        self.0.len() as f64
    }

    /// Returns the latency at this quantile, in milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "figures to print")]
    pub(crate) fn milliseconds(&self, quantile: f64) -> f64 {
        self.0.value_at_quantile(quantile) as f64 / 1000.0
    }

    pub(crate) fn latencies(&self) -> Latencies {
        Latencies {
            p50: self.milliseconds(0.5),
            p99: self.milliseconds(0.99),
            p999: (self.0.len() >= ENOUGH_FOR_P999).then(|| self.milliseconds(0.999)),
        }
    }
}

impl From<Vec<(u64, u64)>> for Times {
    fn from(counts: Vec<(u64, u64)>) -> Self {
        let mut times = Self::none();
        for (microseconds, count) in counts {
            times.0.saturating_record_n(microseconds, count);
        }
        times
    }
}

impl From<Times> for Vec<(u64, u64)> {
    fn from(Times(histogram): Times) -> Self {
        let recorded = histogram.iter_recorded();
        recorded.map(|value| (value.value_iterated_to(), value.count_at_value())).collect()
    }
}
