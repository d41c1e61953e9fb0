//! The types of activity, and filters of them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text_form::from_text;
use crate::value_error::ValueError;

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
    /// A volunteer joined the waiting list of a shift.
    SIGNUP_WAITLISTED => "signup.waitlisted",
    /// A sign-up that waited got a place.
    SIGNUP_PROMOTED => "signup.promoted",
    /// A sign-up was cancelled by itself: not with its event or its shift.
    SIGNUP_CANCELLED => "signup.cancelled",
    /// A sign-up was marked: its volunteer came.
    SIGNUP_ATTENDED => "signup.attended",
    /// A sign-up was marked: its volunteer did not come.
    SIGNUP_ABSENT => "signup.absent",
    /// The attendance of a sign-up was cleared.
    SIGNUP_ATTENDANCE_CLEARED => "signup.attendance_cleared",
    /// A sign-up was moved to another shift of its event.
    SIGNUP_MOVED => "signup.moved",
    /// The name or the address of a sign-up was corrected.
    SIGNUP_CORRECTED => "signup.corrected",
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
    /// A person was invited to become a member of the organization.
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
/// assert!("signup.renamed".parse::<TypeFilter>().is_err());
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
