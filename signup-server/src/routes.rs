//! Which path is which, and which methods it has.

use signup_core::{EventId, ShiftId};
use warp::http::Method;

/// A path of the service. An id that cannot be ours is kept as one that no record has, so that it is found to be missing
/// when records are looked for, and not before the checks that come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// `/v1/events`
    Events,
    /// `/v1/events/{event_id}/duplicate`
    Duplicate(EventId),
    /// `/v1/events/{event_id}/slots`
    Slots(EventId),
    /// `/v1/slots/{id}`
    Slot(ShiftId),
    /// `/v1/team`
    Team,
    /// `/openapi.json`
    OpenApiJson,
    /// `/openapi.yaml`
    OpenApiYaml,
    /// `/health/live`
    Live,
    /// `/health/ready`
    Ready,
    /// `/events/{slug}`: the page of an event
    EventPage(&'a str),
    /// `/events/{slug}/signups`
    SignUps(&'a str),
    /// `/events/{slug}/signed-up`
    SignedUp(&'a str),
    /// `/events/{slug}/slots/{id}.ics`
    Calendar(&'a str, ShiftId),
    /// `/signups/{secret}`: the page of a sign-up
    Signup(&'a str),
    /// `/signups/{secret}/cancel`
    Cancel(&'a str),
}

impl<'a> Route<'a> {
    pub(crate) fn find(path: &'a str) -> Option<Self> {
        let event = |id: &str| id.parse().unwrap_or(EventId::NONE);
        let shift = |id: &str| id.parse().unwrap_or(ShiftId::NONE);
        let path = path.strip_prefix('/')?;
        // Five segments are one more than any route has.
        let mut segments = [""; 5];
        let mut count = 0;
        for segment in path.split('/') {
            *segments.get_mut(count)? = segment;
            count += 1;
        }
        Some(match &segments[..count] {
            ["v1", "events"] => Self::Events,
            ["v1", "events", id, "duplicate"] if !id.is_empty() => Self::Duplicate(event(id)),
            ["v1", "events", id, "slots"] if !id.is_empty() => Self::Slots(event(id)),
            ["v1", "slots", id] if !id.is_empty() => Self::Slot(shift(id)),
            ["v1", "team"] => Self::Team,
            ["openapi.json"] => Self::OpenApiJson,
            ["openapi.yaml"] => Self::OpenApiYaml,
            ["health", "live"] => Self::Live,
            ["health", "ready"] => Self::Ready,
            ["events", slug] if !slug.is_empty() => Self::EventPage(slug),
            ["events", slug, "signups"] if !slug.is_empty() => Self::SignUps(slug),
            ["events", slug, "signed-up"] if !slug.is_empty() => Self::SignedUp(slug),
            ["events", slug, "slots", file] if !slug.is_empty() => {
                Self::Calendar(slug, shift(file.strip_suffix(".ics")?))
            }
            ["signups", secret] if !secret.is_empty() => Self::Signup(secret),
            ["signups", secret, "cancel"] if !secret.is_empty() => Self::Cancel(secret),
            _ => return None,
        })
    }

    /// The methods, as `Allow` names them.
    pub(crate) const fn allow(self) -> &'static str {
        match self {
            Self::Events => "GET, HEAD, POST, OPTIONS",
            Self::Duplicate(_) | Self::SignUps(_) | Self::Cancel(_) => "POST, OPTIONS",
            Self::Slot(_) => "PATCH, OPTIONS",
            Self::Slots(_)
            | Self::Team
            | Self::OpenApiJson
            | Self::OpenApiYaml
            | Self::Live
            | Self::Ready
            | Self::EventPage(_)
            | Self::SignedUp(_)
            | Self::Calendar(..)
            | Self::Signup(_) => "GET, HEAD, OPTIONS",
        }
    }

    pub(crate) fn allows(self, method: &Method) -> bool {
        self.allow().split(", ").any(|allowed| allowed == method.as_str())
    }

    /// Whether people open the path in a browser.
    pub(crate) fn is_page(path: &str) -> bool {
        path.starts_with("/events/") || path.starts_with("/signups/")
    }

    /// What the path is called in the log: never the path itself, which may hold what somebody pasted there.
    pub(crate) const fn template(self) -> &'static str {
        match self {
            Self::Events => "/v1/events",
            Self::Duplicate(_) => "/v1/events/{event_id}/duplicate",
            Self::Slots(_) => "/v1/events/{event_id}/slots",
            Self::Slot(_) => "/v1/slots/{id}",
            Self::Team => "/v1/team",
            Self::OpenApiJson => "/openapi.json",
            Self::OpenApiYaml => "/openapi.yaml",
            Self::Live => "/health/live",
            Self::Ready => "/health/ready",
            Self::EventPage(_) => "/events/{slug}",
            Self::SignUps(_) => "/events/{slug}/signups",
            Self::SignedUp(_) => "/events/{slug}/signed-up",
            Self::Calendar(..) => "/events/{slug}/slots/{id}.ics",
            Self::Signup(_) => "/signups/{secret}",
            Self::Cancel(_) => "/signups/{secret}/cancel",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_paths_of_the_specification_are_routes() {
        for path in [
            "/",
            "/v1",
            "/v1/",
            "/v1/events/",
            "/v1/events//slots",
            "/v1/slots/",
            "/v1/events/a/b/c",
            "//v1/team",
            "/V1/team",
        ] {
            assert_eq!(Route::find(path), None, "{path}");
        }
        assert_eq!(Route::find("/v1/team"), Some(Route::Team));
        assert_eq!(Route::find("/events/food-drive-abc"), Some(Route::EventPage("food-drive-abc")));
        assert_eq!(Route::find("/events/a/slots/b"), None);
        assert_eq!(Route::find("/v1/slots/not-an-id"), Some(Route::Slot(ShiftId::NONE)));
    }
}
