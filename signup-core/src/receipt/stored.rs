//! The serialized form of an event with its shifts in a receipt.
//!
//! A shift omits each field that equals the field of its event. Otherwise these fields would be more than half of the
//! text. A shift whose value differs has the field.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::EventWithShifts;
use crate::event::Event;
use crate::hours::{Day, Hours};
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::occupancy::Occupancy;
use crate::shift::{Closing, Shift};
use crate::text::{ShiftLocation, Title};

#[derive(Serialize, Deserialize)]
struct StoredEvent<'a> {
    event: Cow<'a, Event>,
    shifts: Vec<StoredShift<'a>>,
}

/// A shift. An optional field that is `None` equals the event's. The exception is `location`: `None` means that the
/// shift has no location.
#[derive(Serialize, Deserialize)]
struct StoredShift<'a> {
    id: ShiftId,
    title: Cow<'a, Title>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Cow<'a, ShiftLocation>>,
    hours: Hours,
    occupancy: Occupancy,
    position: u32,
    version: u32,
    gate: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    closing: Option<Closing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<OrganizationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<EventId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    day: Option<Cow<'a, Day>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_virtual: Option<bool>,
}

impl<'a> StoredShift<'a> {
    fn new(shift: &'a Shift, event: &'a Event) -> Self {
        Self {
            id: shift.id,
            title: Cow::Borrowed(&shift.title),
            location: shift.location.as_ref().map(Cow::Borrowed),
            hours: shift.hours,
            occupancy: shift.occupancy,
            position: shift.position,
            version: shift.version,
            gate: shift.gate,
            closing: shift.closing,
            organization: if_different(event.organization, shift.organization),
            event: if_different(event.id, shift.event),
            created_at: if_different(event.created_at, shift.created_at),
            updated_at: if_different(event.updated_at, shift.updated_at),
            day: if_different(&event.dates.first, &shift.day).map(Cow::Borrowed),
            is_virtual: if_different(event.is_virtual, shift.is_virtual),
        }
    }

    /// Returns the shift, with the omitted fields from its event.
    fn into_shift(self, event: &Event) -> Shift {
        Shift {
            id: self.id,
            organization: self.organization.unwrap_or(event.organization),
            event: self.event.unwrap_or(event.id),
            title: self.title.into_owned(),
            location: self.location.map(Cow::into_owned),
            hours: self.hours,
            occupancy: self.occupancy,
            position: self.position,
            version: self.version,
            gate: self.gate,
            closing: self.closing,
            deleted_at: None,
            created_at: self.created_at.unwrap_or(event.created_at),
            updated_at: self.updated_at.unwrap_or(event.updated_at),
            day: self.day.map_or_else(|| event.dates.first.clone(), Cow::into_owned),
            is_virtual: self.is_virtual.unwrap_or(event.is_virtual),
        }
    }
}

/// Returns the shift's value if it differs from the event's.
fn if_different<T: Copy + PartialEq>(event: T, shift: T) -> Option<T> {
    (shift != event).then_some(shift)
}

impl Serialize for EventWithShifts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shifts = self.shifts.iter().map(|shift| StoredShift::new(shift, &self.event)).collect();
        StoredEvent { event: Cow::Borrowed(&self.event), shifts }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for EventWithShifts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredEvent { event, shifts } = StoredEvent::deserialize(deserializer)?;
        let shifts = shifts.into_iter().map(|shift| shift.into_shift(&event)).collect();
        Ok(Self { event: event.into_owned(), shifts })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn stored() -> Value {
        let id = |number: u8| format!("00000000-0000-0000-0000-{number:012}");
        let shift = |number, more: Value| {
            let mut shift = json!({
                "id": id(number), "title": "Packing", "hours": [540, 720],
                "occupancy": {"capacity": 8, "filled": 0}, "position": 0, "version": 1, "gate": 1,
            });
            shift.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
            shift
        };
        json!({
            "event": {
                "id": id(2), "organization": id(1), "title": "Food drive", "slug": "food-drive", "description": null,
                "location": null, "is_virtual": true, "latitude": null, "longitude": null,
                "dates": {"first": {"date": "2027-03-06", "zone": "America/New_York"}, "last": null},
                "is_published": false, "theme": null, "badge_label": null, "cancelled_at": null,
                "cancellation_reason": null, "version": 1, "gate": 1,
                "created_at": "2027-01-01T00:00:00Z", "updated_at": "2027-01-02T00:00:00Z",
            },
            "shifts": [
                shift(3, json!({})),
                shift(4, json!({
                    "location": "Hall", "organization": id(5), "event": id(6), "created_at": "2027-01-03T00:00:00Z",
                    "updated_at": "2027-01-04T00:00:00Z", "is_virtual": false,
                    "day": {"date": "2027-03-07", "zone": "Europe/Berlin"},
                })),
            ],
        })
    }

    #[test]
    fn a_shift_stores_only_the_fields_that_differ_from_its_event() {
        let read: EventWithShifts = serde_json::from_value(stored()).unwrap();
        let [plain, other] = &read.shifts[..] else { panic!("{read:?}") };
        assert_eq!((plain.organization, plain.event), (read.event.organization, read.event.id));
        assert_eq!((plain.created_at, plain.updated_at), (read.event.created_at, read.event.updated_at));
        assert_eq!((&plain.day, plain.is_virtual), (&read.event.dates.first, true));
        assert!(other.organization != plain.organization && other.event != plain.event);
        assert!(other.created_at != plain.created_at && other.updated_at != plain.updated_at);
        assert!(other.day != plain.day && !other.is_virtual);
        assert_eq!(serde_json::to_value(&read).unwrap(), stored());
    }
}
