//! The event that a bare program creates for each request, under an idempotency key.

use serde::Serialize;
use serde_json::{Value, json};
use signup_benches::event;
use signup_core::{Activity, Clock as _, Receipt, SystemClock, new_uuid};
use uuid::Uuid;

/// An event with new ids and times. All other values are the same for each event.
pub(crate) struct Draft {
    pub(crate) event: Uuid,
    pub(crate) activity: Uuid,
    /// The time of creation, in Unix seconds.
    pub(crate) now: i64,
    shifts: Vec<Uuid>,
}

impl Draft {
    /// The first instant of the event's day, in Unix seconds.
    pub(crate) const STARTS_AT: i64 = 4_084_315_200;
    /// The first instant after the event's day, in Unix seconds.
    pub(crate) const ENDS_AT: i64 = Self::STARTS_AT + 86_400;

    pub(crate) fn new() -> Self {
        let now = SystemClock.now();
        let id = || new_uuid(now);
        let shifts = (0..event::SHIFTS).map(|_| id()).collect();
        Self { event: id(), activity: id(), now: now.as_second(), shifts }
    }

    pub(crate) fn slug(&self) -> String {
        format!("food-drive-{}", self.event.simple())
    }

    /// Returns the idempotency key, which no other event has.
    pub(crate) fn key(&self) -> String {
        self.event.to_string()
    }

    /// Returns the expiry of the receipt, in Unix seconds.
    pub(crate) fn expires_at(&self) -> i64 {
        self.now + Receipt::LIFE.as_secs()
    }

    /// Returns the expiry of the activity, in Unix seconds.
    pub(crate) fn activity_expires_at(&self) -> i64 {
        activity_expires_at(self.now)
    }

    /// Returns the ids of the shifts, each with its position.
    pub(crate) fn shifts(&self) -> impl Iterator<Item = (Uuid, u32)> {
        self.shifts.iter().copied().zip(0..)
    }

    /// Returns a JSON array for each shift: id, title, start and end in minutes of the day, capacity and position.
    pub(crate) fn shift_rows(&self) -> Vec<Value> {
        let [start, end] = event::MINUTES;
        let row = |(id, position): (Uuid, u32)| {
            let title = event::shift_title(position);
            json!([id.simple().to_string(), title, start, end, event::CAPACITY, position])
        };
        self.shifts().map(row).collect()
    }

    /// Returns the body of the answer, which is also the outcome in the receipt.
    pub(crate) fn outcome(&self) -> String {
        let shift = |(id, position): (Uuid, u32)| Shift {
            id,
            event_id: self.event,
            title: event::shift_title(position),
            location: None,
            hours: event::MINUTES,
            capacity: event::CAPACITY,
            filled: 0,
            position,
            version: 1,
            created_at: self.now,
            updated_at: self.now,
            date: event::DATE,
            timezone: event::ZONE,
        };
        let outcome = Outcome {
            id: self.event,
            title: event::TITLE,
            slug: self.slug(),
            description: event::DESCRIPTION,
            location: event::LOCATION,
            start_date: event::DATE,
            timezone: event::ZONE,
            is_published: false,
            created_at: self.now,
            updated_at: self.now,
            slots: self.shifts().map(shift).collect(),
        };
        serde_json::to_string(&outcome).unwrap()
    }
}

/// The actor of each activity, as the server stores the actor of a token.
pub(crate) const ACTOR: &str =
    r#"{"type":"token","id":"019aaf00-0000-7000-8000-000000000000","name":"benchmark"}"#;

/// Returns the expiry of an activity of this time, both in Unix seconds.
pub(crate) fn activity_expires_at(now: i64) -> i64 {
    now + Activity::RETENTION.as_secs()
}

#[derive(Serialize)]
struct Outcome {
    id: Uuid,
    title: &'static str,
    slug: String,
    description: &'static str,
    location: &'static str,
    start_date: &'static str,
    timezone: &'static str,
    is_published: bool,
    created_at: i64,
    updated_at: i64,
    slots: Vec<Shift>,
}

#[derive(Serialize)]
struct Shift {
    id: Uuid,
    event_id: Uuid,
    title: String,
    location: Option<&'static str>,
    hours: [u32; 2],
    capacity: u32,
    filled: u32,
    position: u32,
    version: u32,
    created_at: i64,
    updated_at: i64,
    date: &'static str,
    timezone: &'static str,
}
