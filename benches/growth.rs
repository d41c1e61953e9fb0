//! How the cost of an operation grows with what is there.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The cost of operations at growing sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// What grows, and on which engine.
    pub title: String,
    /// The sizes, ascending.
    pub sizes: Vec<u32>,
    /// The operations.
    pub curves: Vec<Curve>,
}

/// The cost of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Which.
    pub operation: String,
    /// Microseconds a call at each of the sizes: the median of rounds, each of which is the mean of its calls.
    pub costs: Vec<f64>,
}

impl fmt::Display for Growth {
    /// A table: a column for each size, and how many times the first cost the last one is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<58}", format!("{}, µs a call", self.title))?;
        for size in &self.sizes {
            write!(f, " {size:>9}")?;
        }
        write!(f, " {:>9}", "last/first")?;
        for Curve { operation, costs } in &self.curves {
            write!(f, "\n  {operation:<56}")?;
            for cost in costs {
                write!(f, " {cost:>9.1}")?;
            }
            if let (Some(first), Some(last)) = (costs.first(), costs.last()) {
                write!(f, " {:>9.2}", last / first)?;
            }
        }
        Ok(())
    }
}
