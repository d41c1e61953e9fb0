//! Receipts: the stored outcome of an operation under an idempotency key.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::caller_key::IdempotencyKey;
use crate::event::Event;
use crate::id::{CallerId, DeliveryId, EventId, OrganizationId, QuestionId, ShiftId, WebhookId};
use crate::invitation::Invitation;
use crate::message::Message;
use crate::permission::Permission;
use crate::question::Question;
use crate::secret::Digest;
use crate::shift::ScheduledShift;
use crate::text_form::from_text;
use crate::token::{Scope, Token};
use crate::value_error::ValueError;
use crate::webhook::{Delivery, Webhook};

/// An operation that can have an idempotency key, with the id of the record that it changes or copies.
///
/// `Serialize` and `Deserialize` use the variants, because receipts are stored in that form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Operation {
    /// Create an event.
    CreateEvent,
    /// Duplicate this event.
    DuplicateEvent(EventId),
    /// Change this shift.
    PatchShift(ShiftId),
    /// Change this event.
    PatchEvent(EventId),
    /// Publish this event.
    PublishEvent(EventId),
    /// Unpublish this event.
    UnpublishEvent(EventId),
    /// Cancel this event.
    CancelEvent(EventId),
    /// Delete this event.
    DeleteEvent(EventId),
    /// Add shifts to this event.
    AddShifts(EventId),
    /// Delete this shift.
    DeleteShift(ShiftId),
    /// Add a question to this event.
    AddQuestion(EventId),
    /// Change this question.
    PatchQuestion(QuestionId),
    /// Delete this question.
    DeleteQuestion(QuestionId),
    /// Create a webhook.
    CreateWebhook,
    /// Change this webhook.
    PatchWebhook(WebhookId),
    /// Replace the secret of this webhook.
    RotateSecret(WebhookId),
    /// Test this webhook.
    TestWebhook(WebhookId),
    /// Delete this webhook.
    DeleteWebhook(WebhookId),
    /// Make this delivery again.
    Redeliver(DeliveryId),
    /// Send a message to the volunteers of this event.
    SendMessage(EventId),
    /// Create a token.
    CreateToken,
    /// Invite a person.
    Invite,
}

impl Operation {
    /// Returns the permission that the operation requires.
    pub const fn permission(self) -> Permission {
        let scope = match self {
            Self::CreateEvent
            | Self::DuplicateEvent(_)
            | Self::PatchEvent(_)
            | Self::PublishEvent(_)
            | Self::UnpublishEvent(_)
            | Self::CancelEvent(_)
            | Self::DeleteEvent(_)
            | Self::AddQuestion(_)
            | Self::PatchQuestion(_)
            | Self::DeleteQuestion(_) => Scope::EventsWrite,
            Self::PatchShift(_) | Self::AddShifts(_) | Self::DeleteShift(_) => Scope::ShiftsWrite,
            Self::CreateWebhook
            | Self::PatchWebhook(_)
            | Self::RotateSecret(_)
            | Self::TestWebhook(_)
            | Self::DeleteWebhook(_)
            | Self::Redeliver(_) => Scope::WebhooksWrite,
            Self::SendMessage(_) => return Permission::SendMessages,
            Self::CreateToken => return Permission::ManageTokens,
            Self::Invite => return Permission::ManageMembers,
        };
        Permission::Scope(scope)
    }
}

impl fmt::Display for Operation {
    /// Writes a text that is unique for each operation. A store may use it as part of a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateEvent => f.write_str("create-event"),
            Self::DuplicateEvent(id) => write!(f, "duplicate-event/{id}"),
            Self::PatchShift(id) => write!(f, "patch-shift/{id}"),
            Self::PatchEvent(id) => write!(f, "patch-event/{id}"),
            Self::PublishEvent(id) => write!(f, "publish-event/{id}"),
            Self::UnpublishEvent(id) => write!(f, "unpublish-event/{id}"),
            Self::CancelEvent(id) => write!(f, "cancel-event/{id}"),
            Self::DeleteEvent(id) => write!(f, "delete-event/{id}"),
            Self::AddShifts(id) => write!(f, "add-shifts/{id}"),
            Self::DeleteShift(id) => write!(f, "delete-shift/{id}"),
            Self::AddQuestion(id) => write!(f, "add-question/{id}"),
            Self::PatchQuestion(id) => write!(f, "patch-question/{id}"),
            Self::DeleteQuestion(id) => write!(f, "delete-question/{id}"),
            Self::CreateWebhook => f.write_str("create-webhook"),
            Self::PatchWebhook(id) => write!(f, "patch-webhook/{id}"),
            Self::RotateSecret(id) => write!(f, "rotate-secret/{id}"),
            Self::TestWebhook(id) => write!(f, "test-webhook/{id}"),
            Self::DeleteWebhook(id) => write!(f, "delete-webhook/{id}"),
            Self::Redeliver(id) => write!(f, "redeliver/{id}"),
            Self::SendMessage(id) => write!(f, "send-message/{id}"),
            Self::CreateToken => f.write_str("create-token"),
            Self::Invite => f.write_str("invite"),
        }
    }
}

impl FromStr for Operation {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        const MALFORMED: ValueError =
            ValueError::Malformed { expected: "create-event, or the name of another operation, / and an id" };
        let Some((name, id)) = text.split_once('/') else {
            return match text {
                "create-event" => Ok(Self::CreateEvent),
                "create-webhook" => Ok(Self::CreateWebhook),
                "create-token" => Ok(Self::CreateToken),
                "invite" => Ok(Self::Invite),
                _ => Err(MALFORMED),
            };
        };
        let id: EventId = id.parse().map_err(|_| MALFORMED)?;
        let (event, shift, question) = (id, ShiftId::new(id.uuid()), QuestionId::new(id.uuid()));
        let webhook = WebhookId::new(id.uuid());
        Ok(match name {
            "duplicate-event" => Self::DuplicateEvent(event),
            "patch-shift" => Self::PatchShift(shift),
            "patch-event" => Self::PatchEvent(event),
            "publish-event" => Self::PublishEvent(event),
            "unpublish-event" => Self::UnpublishEvent(event),
            "cancel-event" => Self::CancelEvent(event),
            "delete-event" => Self::DeleteEvent(event),
            "add-shifts" => Self::AddShifts(event),
            "delete-shift" => Self::DeleteShift(shift),
            "add-question" => Self::AddQuestion(event),
            "patch-question" => Self::PatchQuestion(question),
            "delete-question" => Self::DeleteQuestion(question),
            "patch-webhook" => Self::PatchWebhook(webhook),
            "rotate-secret" => Self::RotateSecret(webhook),
            "test-webhook" => Self::TestWebhook(webhook),
            "delete-webhook" => Self::DeleteWebhook(webhook),
            "redeliver" => Self::Redeliver(DeliveryId::new(id.uuid())),
            "send-message" => Self::SendMessage(event),
            _ => return Err(MALFORMED),
        })
    }
}

from_text!(Operation);

/// The key of a receipt. Two keys are equal if all fields are equal.
///
/// The struct is exhaustive, so code that builds or destructures a key has to handle every field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReceiptKey {
    /// The organization of the session.
    pub organization: OrganizationId,
    /// The token or the person, or [`CallerId::NONE`] for the session of a program. The same idempotency key of another caller
    /// is another receipt key.
    pub caller: CallerId,
    /// The operation.
    pub operation: Operation,
    /// The caller's key.
    pub key: IdempotencyKey,
}

/// The stored outcome of an operation.
///
/// A receipt is written in the change set of its effect, so a crash leaves both durable or neither. There is no
/// separate state "in progress" that a crash could leave behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The key.
    pub key: ReceiptKey,
    /// The outcome of the operation.
    pub outcome: Outcome,
    /// The number of mails that the operation queued. See [`Session::mails_queued`](crate::Session::mails_queued).
    pub mails_queued: u32,
    /// The digest of the operation's input. See [`Session::with_input`](crate::Session::with_input).
    pub input: Option<Digest>,
    /// The first instant at which the receipt is ignored: the same key then runs the operation again.
    pub expires_at: Timestamp,
}

impl Receipt {
    /// How long a receipt is kept: 24 hours.
    pub const LIFE: SignedDuration = SignedDuration::from_hours(24);

    /// Creates a receipt of an operation that queued no mails, without a digest of its input. The receipt expires at `expires_at`.
    pub const fn new(key: ReceiptKey, outcome: Outcome, expires_at: Timestamp) -> Self {
        Self { key, outcome, mails_queued: 0, input: None, expires_at }
    }

    /// Returns whether the receipt has not expired at `now`.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// The outcome of an operation with an idempotency key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// The event that was created, or the event after the change.
    Event(Box<EventWithShifts>),
    /// The shift after the patch, whether or not the patch changed it.
    Shift(Box<ScheduledShift>),
    /// The shifts that were added, in running order.
    Shifts(Vec<ScheduledShift>),
    /// The question that was added, or the question after the patch.
    Question(Box<Question>),
    /// The webhook after the operation, with its secret.
    Webhook(Box<Webhook>),
    /// The delivery that was made, or made due again.
    Delivery(Box<Delivery>),
    /// The message that was sent.
    Message(Box<Message>),
    /// The token that was created, without its text.
    Token(Box<Token>),
    /// The invitation that was made, without the secret of its link. `None` if a member has the address.
    Invitation(Option<Box<Invitation>>),
    /// The record of the operation was deleted.
    ///
    /// Not a unit variant, because a store accepts only outcomes that serialize to an object.
    Deleted {},
}

/// Implements the conversions between [`Outcome`] and the types of outcomes. An outcome of another type is returned as
/// the error.
macro_rules! outcomes {
    ($($type:ty: |$value:ident| $into:expr, $pattern:pat => $from:expr;)*) => {$(
        impl From<$type> for Outcome {
            fn from($value: $type) -> Self {
                $into
            }
        }

        impl TryFrom<Outcome> for $type {
            type Error = Outcome;

            fn try_from(outcome: Outcome) -> Result<Self, Outcome> {
                match outcome {
                    $pattern => Ok($from),
                    other => Err(other),
                }
            }
        }
    )*};
}

outcomes! {
    EventWithShifts: |event| Self::Event(Box::new(event)), Outcome::Event(event) => *event;
    ScheduledShift: |shift| Self::Shift(Box::new(shift)), Outcome::Shift(shift) => *shift;
    Vec<ScheduledShift>: |shifts| Self::Shifts(shifts), Outcome::Shifts(shifts) => shifts;
    Question: |question| Self::Question(Box::new(question)), Outcome::Question(question) => *question;
    Webhook: |webhook| Self::Webhook(Box::new(webhook)), Outcome::Webhook(webhook) => *webhook;
    Delivery: |delivery| Self::Delivery(Box::new(delivery)), Outcome::Delivery(delivery) => *delivery;
    Message: |message| Self::Message(Box::new(message)), Outcome::Message(message) => *message;
    Token: |token| Self::Token(Box::new(token)), Outcome::Token(token) => *token;
    Option<Invitation>: |invitation| Self::Invitation(invitation.map(Box::new)),
        Outcome::Invitation(invitation) => invitation.map(|invitation| *invitation);
    (): |_deleted| Self::Deleted {}, Outcome::Deleted {} => ();
}

/// An event and all its shifts, in running order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EventWithShifts {
    /// The event.
    pub event: Event,
    /// The shifts.
    pub shifts: Vec<ScheduledShift>,
}

impl EventWithShifts {
    /// Creates the event with its shifts, in running order.
    pub const fn new(event: Event, shifts: Vec<ScheduledShift>) -> Self {
        Self { event, shifts }
    }
}
