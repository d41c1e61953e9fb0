//! The place that pages, mails and calendar entries show for a shift.

use signup_core::TimeAndPlace;

/// Returns a place as one text, such as `Pier 3, 12 Harbor Street`. Returns `None` if neither the shift nor the event has a
/// location.
pub(crate) fn place(at: &TimeAndPlace) -> Option<String> {
    let place = at.locations().collect::<Vec<_>>().join(", ");
    (!place.is_empty()).then_some(place)
}

/// Returns a place as one text that says whether the event is online, such as `Hall B (online)`, or `Online`.
pub(crate) fn place_in_words(at: &TimeAndPlace, is_virtual: bool) -> Option<String> {
    match place(at) {
        Some(place) if is_virtual => Some(format!("{place} (online)")),
        None if is_virtual => Some("Online".to_owned()),
        place => place,
    }
}

#[cfg(test)]
mod tests {
    use signup_core::Interval;

    use super::*;

    #[test]
    fn a_place_names_the_location_of_the_shift_and_of_the_event() {
        let now = "2027-06-05T13:00:00Z".parse().unwrap();
        for (own, of_event, shown) in [
            (Some("Pier 3"), Some("12 Harbor Street"), Some("Pier 3, 12 Harbor Street")),
            (Some("Pier 3"), None, Some("Pier 3")),
            (None, Some("12 Harbor Street"), Some("12 Harbor Street")),
            (Some("Pier 3"), Some("Pier 3"), Some("Pier 3")),
            (None, None, None),
        ] {
            let at = TimeAndPlace {
                interval: Interval { start: now, end: now },
                zone: "UTC".parse().unwrap(),
                location: own.map(|text| text.parse().unwrap()),
                event_location: of_event.map(|text| text.parse().unwrap()),
            };
            assert_eq!(place(&at).as_deref(), shown);
            assert_eq!(place_in_words(&at, false).as_deref(), shown);
            let online = shown.map_or_else(|| "Online".to_owned(), |place| format!("{place} (online)"));
            assert_eq!(place_in_words(&at, true), Some(online));
        }
    }
}
