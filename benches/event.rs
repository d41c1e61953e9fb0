//! The event that all benchmarks create, in each form that a benchmark needs: ten shifts on a day in June.

use serde_json::json;
use signup_core::{EventInput, NewEvent, PlanLimits, ShiftInput};

/// The title of the event.
pub const TITLE: &str = "Food drive";
/// The description of the event.
pub const DESCRIPTION: &str = "We pack boxes for 400 families.";
/// The location of the event.
pub const LOCATION: &str = "12 Long Street, Springfield";
/// The date of the event, far in the future.
pub const DATE: &str = "2099-06-05";
/// The time zone of the event.
pub const ZONE: &str = "America/New_York";
/// The number of shifts.
pub const SHIFTS: u32 = 10;
/// The start and the end of each shift.
pub const HOURS: [&str; 2] = ["09:00", "12:00"];
/// The start and the end of each shift, in minutes of the day.
pub const MINUTES: [u32; 2] = [540, 720];
/// The capacity of each shift in benchmarks without sign-ups.
pub const CAPACITY: u32 = 8;

/// Returns the title of the shift at `position`.
pub fn shift_title(position: u32) -> String {
    format!("Shift {position}")
}

/// Returns the body of a request that creates the event, with this number of shifts and this capacity of each.
pub fn body(shifts: u32, capacity: u32, is_published: bool) -> String {
    let [start, end] = HOURS;
    let shift = |position| json!({"title": shift_title(position), "start_time": start, "end_time": end, "capacity": capacity});
    json!({
        "title": TITLE,
        "description": DESCRIPTION,
        "location": LOCATION,
        "start_date": DATE,
        "timezone": ZONE,
        "is_published": is_published,
        "shifts": (0..shifts).map(shift).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Returns the input that such a body contains, unpublished.
pub fn draft(capacity: u32) -> EventInput<'static> {
    let [start, end] = HOURS;
    let shift = |position| ShiftInput {
        title: shift_title(position).into(),
        start_time: start.into(),
        end_time: end.into(),
        capacity: capacity.into(),
        ..ShiftInput::default()
    };
    EventInput {
        title: TITLE.into(),
        description: DESCRIPTION.into(),
        location: LOCATION.into(),
        start_date: DATE.into(),
        timezone: ZONE.into(),
        shifts: (0..SHIFTS).map(shift).collect::<Vec<_>>().into(),
        ..EventInput::default()
    }
}

/// Checks an event against no limit of a plan.
///
/// # Panics
/// Panics if the event has a fault.
pub fn checked(input: &EventInput<'_>) -> NewEvent {
    input.check(PlanLimits::unlimited()).unwrap()
}
