//! Activity: what happened, to which record, when and by whom.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::event::Event;
use crate::id::{
    ActivityId, EventId, OrganizationId, PersonId, QuestionId, ShiftId, SignupId, TokenId, WebhookId,
};
use crate::invitation::Invitation;
use crate::message::Message;
use crate::organization::Organization;
use crate::person::Membership;
use crate::question::Question;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::text::{Name, PersonName};
use crate::text_form::from_text;
use crate::token::Token;
use crate::value_error::ValueError;
use crate::webhook::Webhook;

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

impl From<&Organization> for Subject {
    /// Returns a subject without ids: every activity names its organization.
    fn from(_: &Organization) -> Self {
        Self::default()
    }
}

impl From<&Event> for Subject {
    fn from(event: &Event) -> Self {
        Self { event: Some(event.id), ..Self::default() }
    }
}

impl From<&Shift> for Subject {
    fn from(shift: &Shift) -> Self {
        Self { event: Some(shift.event), shift: Some(shift.id), ..Self::default() }
    }
}

impl From<&Signup> for Subject {
    fn from(signup: &Signup) -> Self {
        let (event, shift) = (Some(signup.event), Some(signup.shift));
        Self { event, shift, signup: Some(signup.id), ..Self::default() }
    }
}

impl From<&Message> for Subject {
    fn from(message: &Message) -> Self {
        Self { event: Some(message.event), shift: message.shift, ..Self::default() }
    }
}

impl From<&Question> for Subject {
    fn from(question: &Question) -> Self {
        Self { event: Some(question.event), question: Some(question.id), ..Self::default() }
    }
}

impl From<&Token> for Subject {
    fn from(token: &Token) -> Self {
        Self { token: Some(token.id), ..Self::default() }
    }
}

impl From<&Webhook> for Subject {
    fn from(webhook: &Webhook) -> Self {
        Self { webhook: Some(webhook.id), ..Self::default() }
    }
}

impl From<&Membership> for Subject {
    fn from(membership: &Membership) -> Self {
        Self { person: Some(membership.person), ..Self::default() }
    }
}

impl From<&Invitation> for Subject {
    /// Returns a subject without ids: an invitation names an address, which need not be that of a person.
    fn from(_: &Invitation) -> Self {
        Self::default()
    }
}

/// The type of an activity: a group, a dot, and what happened to a record of the group, such as `event.created`.
///
/// A store keeps a type as its text, and reads every text. So a type that a newer version has written is listed as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActivityType(Cow<'static, str>);

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident => $text:literal,)+) => {
        impl ActivityType {
            $($(#[$doc])* pub const $name: Self = Self(Cow::Borrowed($text));)+

            /// Every type of this version.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

types! {
    /// An event was created, or is a new copy of another event.
    EVENT_CREATED => "event.created",
    /// Fields of an event changed.
    EVENT_UPDATED => "event.updated",
    /// An event was published.
    EVENT_PUBLISHED => "event.published",
    /// An event became a draft again.
    EVENT_UNPUBLISHED => "event.unpublished",
    /// An event was cancelled.
    EVENT_CANCELLED => "event.cancelled",
    /// An event was deleted.
    EVENT_DELETED => "event.deleted",
    /// A deleted event was restored.
    EVENT_RESTORED => "event.restored",
    /// A shift was added to an event.
    SHIFT_CREATED => "slot.created",
    /// Fields of a shift changed.
    SHIFT_UPDATED => "slot.updated",
    /// A shift was deleted.
    SHIFT_DELETED => "slot.deleted",
    /// A question was added to an event.
    QUESTION_CREATED => "question.created",
    /// Fields of a question changed.
    QUESTION_UPDATED => "question.updated",
    /// A question was deleted.
    QUESTION_DELETED => "question.deleted",
    /// A volunteer signed up.
    SIGNUP_CREATED => "signup.created",
    /// A sign-up was cancelled by itself: not with its event or its shift.
    SIGNUP_CANCELLED => "signup.cancelled",
    /// A sign-up was removed for good, with the data of its volunteer.
    SIGNUP_ERASED => "signup.erased",
    /// A token was created.
    TOKEN_CREATED => "token.created",
    /// A token was revoked.
    TOKEN_REVOKED => "token.revoked",
    /// A webhook was created.
    WEBHOOK_CREATED => "webhook.created",
    /// Fields of a webhook changed.
    WEBHOOK_UPDATED => "webhook.updated",
    /// A webhook got another secret.
    WEBHOOK_SECRET_ROTATED => "webhook.secret_rotated",
    /// The service disabled a webhook.
    WEBHOOK_DISABLED => "webhook.disabled",
    /// A webhook was deleted.
    WEBHOOK_DELETED => "webhook.deleted",
    /// Somebody was invited to become a member of the organization.
    MEMBER_INVITED => "member.invited",
    /// A person accepted an invitation.
    MEMBER_JOINED => "member.joined",
    /// The role of a member changed.
    MEMBER_ROLE_CHANGED => "member.role_changed",
    /// A member was removed, or left.
    MEMBER_REMOVED => "member.removed",
    /// An invitation was withdrawn.
    MEMBER_WITHDRAWN => "member.withdrawn",
    /// A message was sent to the volunteers of an event or a shift.
    MESSAGE_SENT => "message.sent",
    /// The organization was created.
    ORGANIZATION_CREATED => "organization.created",
    /// Fields of the organization changed.
    ORGANIZATION_UPDATED => "organization.updated",
}

impl ActivityType {
    /// The type of a [test](crate::Session::test_webhook), which is no activity: no list has it, and no filter names it.
    pub const WEBHOOK_TEST: Self = Self(Cow::Borrowed("webhook.test"));

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the type that a store keeps as this text. The text need not be a type of this version.
    pub fn stored(text: &str) -> Self {
        let known = Self::ALL.iter().find(|known| known.as_str() == text);
        known.cloned().unwrap_or_else(|| Self(Cow::Owned(text.to_owned())))
    }
}

impl fmt::Display for ActivityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Selects activity by its type: one type, every type of a group, such as `signup.*`, or `*`, every type.
///
/// ```
/// use signup_core::{ActivityType, TypeFilter};
///
/// let filter: TypeFilter = "signup.*".parse()?;
/// assert!(filter.selects(&ActivityType::SIGNUP_CREATED) && !filter.selects(&ActivityType::EVENT_CREATED));
/// assert!("signup.moved".parse::<TypeFilter>().is_err());
/// # Ok::<(), signup_core::ValueError>(())
/// ```
///
/// A store keeps a filter as its text, and reads every text. So a filter that a newer version has written still selects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypeFilter(String);

impl TypeFilter {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the filter that selects every type.
    pub fn every() -> Self {
        Self("*".to_owned())
    }

    /// Returns what every type of the group begins with, such as `signup.`, or nothing for `*`; `None` if the filter names one
    /// type.
    pub fn prefix(&self) -> Option<&str> {
        self.0.strip_suffix('*')
    }

    /// Returns whether the filter selects `kind`.
    pub fn selects(&self, kind: &ActivityType) -> bool {
        match self.prefix() {
            Some(prefix) => kind.as_str().starts_with(prefix),
            None => kind.as_str() == self.0,
        }
    }
}

impl FromStr for TypeFilter {
    type Err = ValueError;

    /// Parses a type of this version, a group of such types, or `*`.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let filter = Self(text.to_owned());
        let is_group = filter.prefix().is_none_or(|prefix| prefix.is_empty() || prefix.ends_with('.'));
        let is_known = is_group && ActivityType::ALL.iter().any(|kind| filter.selects(kind));
        is_known.then_some(filter).ok_or(ValueError::Malformed {
            expected: "a type of activity, such as signup.created, or a group, such as signup.*",
        })
    }
}

impl fmt::Display for TypeFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

from_text!(TypeFilter);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_in_one_group_and_reads_back() {
        for kind in ActivityType::ALL {
            let (group, _) = kind.as_str().split_once('.').unwrap();
            let group: TypeFilter = format!("{group}.*").parse().unwrap();
            let exact: TypeFilter = kind.as_str().parse().unwrap();
            assert!(group.selects(kind) && exact.selects(kind), "{kind}");
            assert_eq!(ActivityType::ALL.iter().filter(|other| exact.selects(other)).count(), 1, "{kind}");
            assert_eq!(&ActivityType::stored(kind.as_str()), kind);
        }
    }

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

    #[test]
    fn only_a_type_or_a_whole_group_is_a_filter() {
        assert!("*".parse::<TypeFilter>().is_ok());
        for bad in ["", "s*", "signup", "signup.", "signup.cre*", "sign.*", "signup.*.*", "Signup.*", ".*"] {
            assert!(bad.parse::<TypeFilter>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_stored_filter_of_a_newer_version_is_read() {
        let filter: TypeFilter = serde_json::from_str(r#""person.*""#).unwrap();
        assert!(filter.selects(&ActivityType::stored("person.invited")));
    }
}
