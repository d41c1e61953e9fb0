//! Queries of the list of deliveries.

use super::{Position, paged};
use crate::id::DeliveryId;
use crate::webhook::{Delivery, DeliveryStatus};

/// Selects a page of the deliveries to a webhook, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryQuery {
    /// Only deliveries with this state.
    pub status: Option<DeliveryStatus>,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the top of the
    /// list.
    pub position: Option<Position<DeliveryId>>,
    /// The maximum number of deliveries in the page; at least 1.
    pub limit: u32,
}

impl DeliveryQuery {
    /// Selects the latest [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) deliveries.
    pub const fn new() -> Self {
        Self { status: None, position: None, limit: Self::DEFAULT_LIMIT }
    }

    /// Selects deliveries with this state only.
    #[must_use]
    pub const fn status(self, status: DeliveryStatus) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub const fn at(self, position: Position<DeliveryId>) -> Self {
        Self { position: Some(position), ..self }
    }

    /// Returns whether the query selects a delivery, apart from the position and the limit.
    pub fn selects(&self, delivery: &Delivery) -> bool {
        self.status.is_none_or(|status| delivery.status() == status)
    }
}

paged!(DeliveryQuery);
