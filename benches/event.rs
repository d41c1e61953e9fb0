//! The one event that all benchmarks create, in every form that one of them needs: ten shifts on a day in June.

use serde_json::json;
use signup_core::{EventInput, ShiftInput};

/// Its title.
pub const TITLE: &str = "Food drive";
/// What it is about.
pub const DESCRIPTION: &str = "We pack boxes for 400 families.";
/// Where it takes place.
pub const LOCATION: &str = "12 Long Street, Springfield";
/// Its day, which no benchmark lives to see.
pub const DATE: &str = "2099-06-05";
/// Where the day is counted.
pub const ZONE: &str = "America/New_York";
/// Its shifts.
pub const SHIFTS: u32 = 10;
/// When each shift starts and ends.
pub const HOURS: [&str; 2] = ["09:00", "12:00"];
/// The same in minutes of the day.
pub const MINUTES: [u32; 2] = [540, 720];
/// Places on each shift, where nobody signs up.
pub const CAPACITY: u32 = 8;

/// What a shift is called.
pub fn shift_title(position: u32) -> String {
    format!("Shift {position}")
}

/// The body of a request that creates it, with so many places on each shift.
pub fn body(capacity: u32, is_published: bool) -> String {
    let [start, end] = HOURS;
    let shift = |position| json!({"title": shift_title(position), "start_time": start, "end_time": end, "capacity": capacity});
    json!({
        "title": TITLE,
        "description": DESCRIPTION,
        "location": LOCATION,
        "start_date": DATE,
        "timezone": ZONE,
        "is_published": is_published,
        "shifts": (0..SHIFTS).map(shift).collect::<Vec<_>>(),
    })
    .to_string()
}

/// The same as it is read from such a body, unpublished.
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
