//! Errors of the operations, in the terms of the domain. The server maps each error to HTTP, in one place.

use thiserror::Error;
use uuid::Uuid;

use crate::fault::Faults;
use crate::person::Role;
use crate::store::{Refusal, StoreError};
use crate::token::Scope;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why an operation failed. The operation did not write the record that it creates or changes. Only after
/// [`Store`](Self::Store) it is unknown whether the record was written.
///
/// Two errors of the store are equal if their [kinds](StoreError::kind) are equal.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The token is malformed, unknown, expired or revoked.
    #[error("the token is not valid")]
    Unauthenticated,
    /// The token does not allow this operation.
    #[error("the token lacks the scope {0}")]
    MissingScope(Scope),
    /// Only a person with this role, or with a role above it, may do this.
    #[error("the caller lacks the role {0}")]
    MissingRole(Role),
    /// The sign-in is too old for this operation: the person entered no code and accepted no invitation within
    /// [`SignIn::RECENT`](crate::SignIn::RECENT). See
    /// [`Permission::requires_recent_sign_in`](crate::Permission::requires_recent_sign_in).
    #[error("the person has to enter a code first")]
    NotRecent,
    /// There is no such record, or the caller may not see it: another organization owns the record, or a volunteer asks
    /// for a draft.
    #[error("there is no such record")]
    NotFound,
    /// The code that was entered is wrong. The browser has another try.
    #[error("the code is wrong")]
    WrongCode,
    /// The browser has no code that works: none was asked for, it has expired or was used, or no try is left.
    #[error("the code no longer works")]
    CodeGone,
    /// The link of an invitation does not work: the invitation was accepted, withdrawn or replaced, it has expired, or its inviter
    /// has lost the right to invite.
    #[error("the invitation no longer works")]
    InvitationGone,
    /// The invitation is for another person than the one who is signed in.
    #[error("the invitation is for another person")]
    OtherPerson,
    /// The organization would have no owner left.
    #[error("the organization must keep an owner")]
    LastOwner,
    /// The input is wrong. Holds every fault. The message names the first fault and the number of the others.
    #[error(transparent)]
    Invalid(#[from] Faults),
    /// The plan allows no more active events. [`PlanTable`](crate::PlanTable) lists the limits of each plan.
    #[error("the plan's limit of {max_allowed} active events is reached")]
    PlanLimit {
        /// How many events are active.
        current_count: u32,
        /// How many may be active.
        max_allowed: u32,
    },
    /// The shift has no place left.
    #[error("the shift is full")]
    ShiftFull,
    /// The shift has ended.
    #[error("the shift is over")]
    ShiftOver,
    /// Sign-ups for the event are not open yet, or are closed. [`Event::signup_phase`](crate::Event::signup_phase) says which.
    #[error("the event takes no sign-ups at present")]
    SignupsClosed,
    /// The shift was deleted, so it takes no sign-ups, and its sign-ups cannot be cancelled.
    #[error("the shift was deleted")]
    ShiftDeleted,
    /// The sign-up is cancelled, so it cannot be corrected.
    #[error("the sign-up is cancelled")]
    SignupCancelled,
    /// The person has another sign-up for the shift.
    #[error("the person has a place on the shift already")]
    PlaceTaken,
    /// The address has [`Signup::MAX_PER_ADDRESS`](crate::Signup::MAX_PER_ADDRESS) sign-ups for the shift.
    #[error("the address has as many places on the shift as it may have")]
    AddressFull,
    /// The sign-up waits or is cancelled. Only a confirmed sign-up can be moved, and have its attendance marked.
    #[error("the sign-up is not confirmed")]
    SignupNotConfirmed,
    /// The shift begins in more than [`Shift::ATTENDANCE_BEFORE`](crate::Shift::ATTENDANCE_BEFORE), or it ended more than
    /// [`Shift::ATTENDANCE_AFTER`](crate::Shift::ATTENDANCE_AFTER) ago, so nobody can mark who came.
    #[error("it is too early or too late to mark who came to the shift")]
    AttendanceClosed,
    /// The webhook is disabled, so nothing is delivered to it again.
    #[error("the webhook is disabled")]
    WebhookDisabled,
    /// The event is cancelled. Of the writes to the event, its shifts and its questions, only a repeated cancel, a
    /// duplicate and the deletion of the event succeed.
    #[error("the event is cancelled")]
    EventCancelled,
    /// The event is over, so it cannot be cancelled. Or it has no shift that ended at most
    /// [`Message::AFTER_EVENT`](crate::Message::AFTER_EVENT) ago or is still to come, so no message can be sent.
    #[error("the event is over")]
    EventOver,
    /// The event has active sign-ups: confirmed ones, for shifts that are not over.
    #[error("the event has active sign-ups")]
    EventHasSignups,
    /// The shift has active sign-ups: confirmed ones, and it is not over.
    #[error("the shift has active sign-ups")]
    ShiftHasSignups,
    /// Another event of the organization, or another shift of the event, has the external id.
    #[error("the external id is taken")]
    ExternalIdTaken {
        /// The id of the event or the shift that has the external id.
        existing_id: Uuid,
    },
    /// The event has [`Message::MAX_PER_PERIOD`](crate::Message::MAX_PER_PERIOD) messages within 24 hours.
    #[error("too many messages to the volunteers of the event within a day")]
    TooManyMessages,
    /// The notice is queued or claimed, so a retry would send its mail twice. Only a failed notice can be retried.
    #[error("the notice has not failed")]
    NoticeNotFailed,
    /// Another caller has changed these fields since the values of the patch were [read](crate::EventPatch::read), to other
    /// values than those of the patch. Holds the names of the fields, in their order.
    #[error("another caller has changed {}", .0.join(", "))]
    Conflict(Vec<&'static str>),
    /// Other changes of the same record kept the call from committing for 10 seconds: they were committed before each of
    /// its attempts, or it waited for its turn among them. A later call may succeed.
    #[error("too many changes of the same record at once")]
    Contended,
    /// The store refused for a reason that no rule expects: a bug of the store or of this library. The message does not
    /// contain the refusal, which may hold personal data.
    #[error("the store refused a commit for an unexpected reason")]
    Refused(Box<Refusal>),
    /// The store failed, and it is unknown whether a write was applied. A retry with the same idempotency key is safe.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Error {
    /// Returns whether the same call may succeed later without any change.
    ///
    /// After [`Store`](Self::Store), it is unknown whether the call wrote. Retry a call that creates (an event, a copy,
    /// shifts, a question, a webhook, a token, an invitation) only with the same idempotency key. A repeated delete without a
    /// key returns [`NotFound`](Self::NotFound) if the first call was applied. Every other call of
    /// [`Session`](crate::Session), [`Volunteers`](crate::Volunteers), [`SignUpForm`](crate::SignUpForm),
    /// [`People`](crate::People) and [`Outbox`](crate::Outbox) is safe to retry. [`Admin`](crate::Admin) lists its methods
    /// that are not.
    ///
    /// ```
    /// use signup_core::Error;
    ///
    /// assert!(Error::Contended.is_retryable() && !Error::ShiftFull.is_retryable());
    /// ```
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Contended => true,
            Self::Store(error) => error.is_unavailable(),
            _ => false,
        }
    }

    /// Returns whether there is no such record in the organization, or no longer.
    pub const fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound | Self::CodeGone | Self::InvitationGone)
    }

    /// Returns whether the input has faults.
    pub const fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid(_))
    }

    /// Returns whether the token or the code is not valid, or the caller may not do the operation.
    pub const fn is_denied(&self) -> bool {
        matches!(
            self,
            Self::Unauthenticated
                | Self::MissingScope(_)
                | Self::MissingRole(_)
                | Self::NotRecent
                | Self::WrongCode
        )
    }

    /// Returns whether the stored records, a simultaneous change or the plan prevents the operation. The same call may
    /// succeed after another change, such as a cancellation.
    pub const fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::PlanLimit { .. }
                | Self::OtherPerson
                | Self::LastOwner
                | Self::WebhookDisabled
                | Self::ShiftFull
                | Self::ShiftOver
                | Self::SignupsClosed
                | Self::ShiftDeleted
                | Self::SignupCancelled
                | Self::PlaceTaken
                | Self::AddressFull
                | Self::SignupNotConfirmed
                | Self::AttendanceClosed
                | Self::EventCancelled
                | Self::EventOver
                | Self::EventHasSignups
                | Self::ShiftHasSignups
                | Self::ExternalIdTaken { .. }
                | Self::NoticeNotFailed
                | Self::TooManyMessages
                | Self::Conflict(_)
                | Self::Contended
        )
    }

    /// Returns whether the store or the library failed, and the caller did nothing wrong.
    pub const fn is_internal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Store(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;
    use crate::id::OrganizationId;
    use crate::store::RecordKey;

    /// Returns one error of each variant.
    fn errors() -> [Error; 33] {
        [
            Error::Unauthenticated,
            Error::MissingScope(Scope::EventsRead),
            Error::MissingRole(Role::Owner),
            Error::NotRecent,
            Error::NotFound,
            Error::WrongCode,
            Error::CodeGone,
            Error::InvitationGone,
            Error::OtherPerson,
            Error::LastOwner,
            Error::WebhookDisabled,
            Error::Invalid(Faults::one("title", FaultKind::Required)),
            Error::PlanLimit { current_count: 5, max_allowed: 5 },
            Error::ShiftFull,
            Error::ShiftOver,
            Error::SignupsClosed,
            Error::ShiftDeleted,
            Error::SignupCancelled,
            Error::PlaceTaken,
            Error::AddressFull,
            Error::SignupNotConfirmed,
            Error::AttendanceClosed,
            Error::EventCancelled,
            Error::EventOver,
            Error::EventHasSignups,
            Error::ShiftHasSignups,
            Error::ExternalIdTaken { existing_id: Uuid::nil() },
            Error::NoticeNotFailed,
            Error::TooManyMessages,
            Error::Conflict(vec!["title"]),
            Error::Contended,
            Error::Refused(Box::new(Refusal::Changed(RecordKey::Organization(OrganizationId::NONE)))),
            Error::Store(StoreError::unavailable("reading", "closed")),
        ]
    }

    #[test]
    fn each_error_has_one_class() {
        for error in errors() {
            let classes = [
                error.is_denied(),
                error.is_not_found(),
                error.is_invalid(),
                error.is_conflict(),
                error.is_internal(),
            ];
            assert_eq!(classes.into_iter().filter(|is_class| *is_class).count(), 1, "{error}");
        }
    }

    #[test]
    fn the_readme_explains_each_error_once() {
        let source = include_str!("error.rs").split_once("pub enum Error {").unwrap().1;
        let source = source.split_once("\n}").unwrap().0;
        let declared = source.lines().filter_map(|line| line.strip_prefix("    "));
        let declared = declared.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
        let mut declared: Vec<_> = declared.map(|line| line.split([',', '(', ' ']).next().unwrap()).collect();
        assert_eq!(declared.len(), errors().len(), "{declared:?}");

        let section = include_str!("../README.md").split_once("\n## Errors\n").unwrap().1;
        let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let rows = rows.take_while(|line| line.starts_with('|')).map(|row| row.split('|').nth(1).unwrap());
        let mut explained: Vec<_> =
            rows.flat_map(|cell| cell.split(',')).map(|name| name.trim().trim_matches('`')).collect();
        explained.sort_unstable();
        declared.sort_unstable();
        assert_eq!(explained, declared);
    }

    #[test]
    fn an_invalid_input_is_described_by_its_first_fault_and_the_number_of_the_others() {
        let mut faults = Faults::one("title", FaultKind::Required);
        faults.add("timezone", FaultKind::Required);
        let error = Error::from(faults);
        assert_eq!(error.to_string(), "`title` is required (and 1 more fault)");
        assert!(std::error::Error::source(&error).is_none(), "a report of the sources repeats nothing");
    }

    #[test]
    fn a_result_can_be_compared_with_an_error() {
        let result: Result<()> = Err(Error::ShiftFull);
        assert_eq!(result, Err(Error::ShiftFull));
        assert_ne!(result, Err(StoreError::failed("reading", "closed").into()));
    }
}
