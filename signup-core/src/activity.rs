//! Activity: what happened, to which record, when and by whom.

mod kind;

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use self::kind::{ActivityType, TypeFilter};
use crate::id::{
    ActivityId, EventId, OrganizationId, PersonId, QuestionId, ShiftId, SignupId, TokenId, WebhookId,
};
use crate::text::{Name, PersonName};

/// The record of one thing that happened.
///
/// Every write that takes effect records its activity in the same commit. A write that changes no value, a refused write and
/// a replay record none. So the list of activity has everything that happened, and nothing else.
///
/// There is one activity for each record that the call itself creates or changes, and none for what follows from it. An event
/// that is created with ten shifts is one `event.created`. A cancelled event is one `event.cancelled`, whatever number of
/// sign-ups it cancels. An email that is queued, sent or retried is no activity.
///
/// An activity has no value of a field, and no name or address of a volunteer. So it stays as it is when a volunteer's data is
/// erased.
///
/// [`Session::activity`](crate::Session::activity) lists activity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Activity {
    /// The id. Ids sort by time. The ids of one commit sort in the order of its activities: a patch that changes fields and
    /// publishes has `event.updated` before `event.published`.
    pub id: ActivityId,
    /// The organization that owns the record.
    pub organization: OrganizationId,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: ActivityType,
    /// When it happened.
    pub created_at: Timestamp,
    /// The caller that caused it.
    pub actor: Actor,
    /// The record, and its parents.
    pub subject: Subject,
    /// The names of the fields that changed, as the HTTP API spells them. Empty for every type but `….updated`.
    pub changes: Vec<Cow<'static, str>>,
}

impl Activity {
    /// Creates the record of an activity.
    pub const fn new(
        id: ActivityId,
        organization: OrganizationId,
        kind: ActivityType,
        created_at: Timestamp,
        actor: Actor,
        subject: Subject,
        changes: Vec<Cow<'static, str>>,
    ) -> Self {
        Self { id, organization, kind, created_at, actor, subject, changes }
    }

    /// How long an activity is kept: 365 days.
    pub const RETENTION: SignedDuration = SignedDuration::from_hours(365 * 24);

    /// Returns when the activity expires.
    pub fn expires_at(&self) -> Timestamp {
        self.created_at.checked_add(Self::RETENTION).unwrap_or(Timestamp::MAX)
    }
}

/// The caller that caused an activity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Actor {
    /// A session of a token.
    Token {
        /// The id of the token.
        id: TokenId,
        /// The name of the token at that moment.
        name: Name,
    },
    /// A session of a person.
    Person {
        /// The id of the person.
        id: PersonId,
        /// The name of the person at that moment.
        name: PersonName,
    },
    /// A volunteer.
    Volunteer,
    /// The operator: [`Admin`](crate::Admin), and a session of a [program](crate::Service::session_for).
    Operator,
    /// The service itself.
    System,
    /// A caller of a type that a newer version has written, as it is stored.
    #[serde(untagged)]
    Other {
        /// The type.
        #[serde(rename = "type")]
        kind: String,
        /// The id, if the caller has one.
        id: Option<Uuid>,
        /// The name at that moment, if the caller has one.
        name: Option<String>,
    },
}

impl Actor {
    /// Returns the type of the actor, as in JSON.
    pub fn kind(&self) -> &str {
        match self {
            Self::Token { .. } => "token",
            Self::Person { .. } => "person",
            Self::Volunteer => "volunteer",
            Self::Operator => "operator",
            Self::System => "system",
            Self::Other { kind, .. } => kind,
        }
    }
}

/// The record that an activity is about, with its parents. An id is `None` if the record has no such parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Subject {
    /// The event.
    pub event: Option<EventId>,
    /// The shift.
    #[doc(alias = "slot")]
    pub shift: Option<ShiftId>,
    /// The sign-up.
    pub signup: Option<SignupId>,
    /// The question.
    pub question: Option<QuestionId>,
    /// The token.
    pub token: Option<TokenId>,
    /// The webhook.
    pub webhook: Option<WebhookId>,
    /// The member.
    pub person: Option<PersonId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_an_actor_has_its_type_and_reads_back() {
        let name = Name::new("nightly import").unwrap();
        let token = Actor::Token { id: TokenId::NONE, name };
        let person = Actor::Person { id: PersonId::NONE, name: "Ada Lovelace".parse().unwrap() };
        let kiosk = |id, name| Actor::Other { kind: "kiosk".to_owned(), id, name };
        let [kiosk, nameless] = [kiosk(Some(Uuid::max()), Some("Front desk".to_owned())), kiosk(None, None)];
        for actor in [token, person, kiosk, nameless, Actor::Volunteer, Actor::Operator, Actor::System] {
            let json = serde_json::to_value(&actor).unwrap();
            assert_eq!(json["type"], actor.kind());
            assert_eq!(serde_json::from_value::<Actor>(json).unwrap(), actor);
        }
    }

    #[test]
    fn the_json_of_a_subject_of_an_older_version_is_read() {
        let json = r#"{"event":null,"shift":null,"signup":null,"question":null,"token":null,"webhook":null}"#;
        assert_eq!(serde_json::from_str::<Subject>(json).unwrap(), Subject::default());
    }
}
