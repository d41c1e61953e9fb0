//! An event with ten shifts and a key, as a bare program makes one for each request.

use serde_json::{Value, json};
use signup_core::{Clock as _, Receipt, SystemClock, secret};
use uuid::Uuid;

/// Ids and times are new; all else is the same for each.
pub(crate) struct Draft {
    pub(crate) event: Uuid,
    pub(crate) now: i64,
    shifts: Vec<Uuid>,
}

impl Draft {
    pub(crate) const TITLE: &str = "Food drive";
    pub(crate) const DESCRIPTION: &str = "We pack boxes for 400 families.";
    pub(crate) const LOCATION: &str = "12 Long Street, Springfield";
    pub(crate) const DATE: &str = "2099-06-05";
    pub(crate) const ZONE: &str = "America/New_York";
    /// The first instant of the day, and the first after it.
    pub(crate) const STARTS_AT: i64 = 4_084_315_200;
    pub(crate) const ENDS_AT: i64 = Self::STARTS_AT + 86_400;

    pub(crate) fn new() -> Self {
        let now = SystemClock.now();
        let id = || secret::new_uuid(now);
        Self { event: id(), now: now.as_second(), shifts: (0..10).map(|_| id()).collect() }
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

    pub(crate) fn shifts(&self) -> &[Uuid] {
        &self.shifts
    }

    /// The shifts as rows: id, title, minutes of the day, capacity and position.
    pub(crate) fn shift_rows(&self) -> Vec<Value> {
        let row = |(id, position): (&Uuid, u32)| {
            json!([id.simple().to_string(), format!("Shift {position}"), 540, 720, 8, position])
        };
        self.shifts.iter().zip(0..).map(row).collect()
    }

    /// What is answered, and kept under the key.
    pub(crate) fn outcome(&self) -> String {
        let shift = |(id, position): (&Uuid, u32)| {
            json!({
                "id": id, "event_id": self.event, "title": format!("Shift {position}"), "location": null,
                "hours": [540, 720], "capacity": 8, "filled": 0, "position": position, "version": 1,
                "created_at": self.now, "updated_at": self.now, "date": Self::DATE, "timezone": Self::ZONE,
            })
        };
        json!({
            "id": self.event, "title": Self::TITLE, "slug": self.slug(), "description": Self::DESCRIPTION,
            "location": Self::LOCATION, "start_date": Self::DATE, "timezone": Self::ZONE, "is_published": false,
            "created_at": self.now, "updated_at": self.now,
            "slots": self.shifts.iter().zip(0..).map(shift).collect::<Vec<_>>(),
        })
        .to_string()
    }
}
