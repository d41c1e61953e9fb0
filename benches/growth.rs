//! The growth of an operation's cost with the number of records.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The cost of operations at growing sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The engine, and the records that grow in number.
    pub title: String,
    /// The numbers of records, ascending.
    pub sizes: Vec<u32>,
    /// The costs of each operation.
    pub curves: Vec<Curve>,
}

/// The cost of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The name of the operation.
    pub operation: String,
    /// Microseconds per call at each of the sizes: the median of rounds. The figure of a round is the mean of its calls.
    pub costs: Vec<f64>,
}

impl fmt::Display for Growth {
    /// Writes a table with a column for each size, and a column with the last cost divided by the first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<58}", format!("{}, µs per call", self.title))?;
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
