//! Path patterns, and the parameters of a path that matches a pattern.

use signup_core::{DeliveryId, EventId, QuestionId, ShiftId, SignupId, WebhookId};

/// A path pattern, such as `/v1/events/{event_id}/slots`.
///
/// A segment in braces is a parameter, and matches any non-empty text. Any other segment matches only itself.
pub(crate) struct PathPattern(Vec<Segment>);

#[derive(Clone, Copy)]
enum Segment {
    Literal(&'static str),
    /// A parameter, by its name.
    Parameter(&'static str),
}

impl PathPattern {
    /// Parses a pattern that begins with a slash.
    pub(crate) fn new(pattern: &'static str) -> Self {
        let segments = pattern.split('/').skip(1).map(|segment| {
            let parameter = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            parameter.map_or(Segment::Literal(segment), Segment::Parameter)
        });
        Self(segments.collect())
    }

    /// Returns the parameters in the path with these `segments`, or `None` if the path does not match the pattern.
    pub(crate) fn parameters(&self, segments: &[&str]) -> Option<PathParameters> {
        if segments.len() != self.0.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (segment, text) in self.0.iter().zip(segments) {
            match *segment {
                Segment::Literal(literal) if literal == *text => {}
                Segment::Literal(_) => return None,
                Segment::Parameter(_) if text.is_empty() => return None,
                Segment::Parameter(name) => parameters.push((name, (*text).to_owned())),
            }
        }
        Some(PathParameters(parameters))
    }
}

/// The parameters of a path, by name.
#[derive(Debug)]
pub(crate) struct PathParameters(Vec<(&'static str, String)>);

impl PathParameters {
    /// Returns the text of a parameter, or the empty string if the pattern has no such parameter.
    pub(crate) fn text(&self, name: &str) -> String {
        self.0.iter().find(|(found, _)| *found == name).map_or_else(String::new, |(_, text)| text.clone())
    }

    /// Returns the event id in the path. Malformed text becomes [`EventId::NONE`], which no event has.
    ///
    /// So a malformed id gets the response for an unknown id, after the same checks.
    pub(crate) fn event(&self) -> EventId {
        self.text("event_id").parse().unwrap_or(EventId::NONE)
    }

    /// Returns the question id in the path. Malformed text becomes [`QuestionId::NONE`], as in [`event`](Self::event).
    pub(crate) fn question(&self) -> QuestionId {
        self.text("id").parse().unwrap_or(QuestionId::NONE)
    }

    /// Returns the sign-up id in the path. Malformed text becomes [`SignupId::NONE`], as in [`event`](Self::event).
    pub(crate) fn signup(&self) -> SignupId {
        self.text("id").parse().unwrap_or(SignupId::NONE)
    }

    /// Returns the shift id in the path. Malformed text becomes [`ShiftId::NONE`], as in [`event`](Self::event).
    pub(crate) fn shift(&self) -> ShiftId {
        self.text("id").parse().unwrap_or(ShiftId::NONE)
    }

    /// Returns the webhook id in the path. Malformed text becomes [`WebhookId::NONE`], as in [`event`](Self::event).
    pub(crate) fn webhook(&self) -> WebhookId {
        self.text("id").parse().unwrap_or(WebhookId::NONE)
    }

    /// Returns the delivery id in the path. Malformed text becomes [`DeliveryId::NONE`], as in [`event`](Self::event).
    pub(crate) fn delivery(&self) -> DeliveryId {
        self.text("id").parse().unwrap_or(DeliveryId::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_id_matches_no_record() {
        let path = PathPattern::new("/v1/slots/{id}").parameters(&["v1", "slots", "not-an-id"]).unwrap();
        assert_eq!(path.shift(), ShiftId::NONE);
        let path = PathPattern::new("/v1/events/{event_id}").parameters(&["v1", "events", "7"]).unwrap();
        assert_eq!(path.event(), EventId::NONE);
    }
}
