//! The event as a bare program makes one for each request, with a key.

use serde_json::{Value, json};
use signup_benches::event;
use signup_core::{Clock as _, Receipt, SystemClock, secret};
use uuid::Uuid;

/// Ids and times are new; all else is the same for each.
pub(crate) struct Draft {
    pub(crate) event: Uuid,
    pub(crate) now: i64,
    shifts: Vec<Uuid>,
}

impl Draft {
    /// The first instant of the day, and the first after it.
    pub(crate) const STARTS_AT: i64 = 4_084_315_200;
    pub(crate) const ENDS_AT: i64 = Self::STARTS_AT + 86_400;

    pub(crate) fn new() -> Self {
        let now = SystemClock.now();
        let id = || secret::new_uuid(now);
        Self { event: id(), now: now.as_second(), shifts: (0..event::SHIFTS).map(|_| id()).collect() }
    }

    pub(crate) fn slug(&self) -> String {
        format!("food-drive-{}", self.event.simple())
    }

    /// Nobody else has it.
    pub(crate) fn key(&self) -> String {
        self.event.to_string()
    }

    pub(crate) fn expires_at(&self) -> i64 {
        self.now + Receipt::LIFE.as_secs()
    }

    /// The shifts by their ids, each with its position.
    pub(crate) fn shifts(&self) -> impl Iterator<Item = (Uuid, u32)> {
        self.shifts.iter().copied().zip(0..)
    }

    /// The shifts as rows: id, title, minutes of the day, capacity and position.
    pub(crate) fn shift_rows(&self) -> Vec<Value> {
        let [start, end] = event::MINUTES;
        let row = |(id, position): (Uuid, u32)| {
            let title = event::shift_title(position);
            json!([id.simple().to_string(), title, start, end, event::CAPACITY, position])
        };
        self.shifts().map(row).collect()
    }

    /// What is answered, and kept under the key.
    pub(crate) fn outcome(&self) -> String {
        let shift = |(id, position): (Uuid, u32)| {
            json!({
                "id": id, "event_id": self.event, "title": event::shift_title(position), "location": null,
                "hours": event::MINUTES, "capacity": event::CAPACITY, "filled": 0, "position": position,
                "version": 1, "created_at": self.now, "updated_at": self.now, "date": event::DATE,
                "timezone": event::ZONE,
            })
        };
        json!({
            "id": self.event, "title": event::TITLE, "slug": self.slug(), "description": event::DESCRIPTION,
            "location": event::LOCATION, "start_date": event::DATE, "timezone": event::ZONE,
            "is_published": false, "created_at": self.now, "updated_at": self.now,
            "slots": self.shifts().map(shift).collect::<Vec<_>>(),
        })
        .to_string()
    }
}
