//! The place that mails show for a shift.

use signup_core::TimeAndPlace;

use crate::texts::Texts;

/// Returns a place as one text that says whether the event is online, such as `Hall B (online)`, or `Online`.
pub(super) fn place_in_words(at: &TimeAndPlace, is_virtual: bool, texts: Texts) -> Option<String> {
    match at.place() {
        Some(place) if is_virtual => Some(format!("{place} {}", texts.online_note())),
        None if is_virtual => Some(texts.online()),
        place => place,
    }
}

#[cfg(test)]
mod tests {
    use signup_core::Interval;

    use super::*;

    #[test]
    fn a_place_says_whether_the_event_is_online() {
        let now = "2027-06-05T13:00:00Z".parse().unwrap();
        for (own, shown, online) in
            [(Some("Pier 3"), Some("Pier 3"), "Pier 3 (online)"), (None, None, "Online")]
        {
            let at = TimeAndPlace {
                interval: Interval { start: now, end: now },
                zone: "UTC".parse().unwrap(),
                location: own.map(|text| text.parse().unwrap()),
                event_location: None,
            };
            assert_eq!(place_in_words(&at, false, Texts::ENGLISH).as_deref(), shown);
            assert_eq!(place_in_words(&at, true, Texts::ENGLISH).as_deref(), Some(online));
        }
    }
}
