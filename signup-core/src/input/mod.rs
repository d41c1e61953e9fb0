//! Input of operations: typed values, and untyped input that becomes typed values.
//!
//! Typed input, such as [`NewEvent`], is made of checked values. Untyped input is an [`Input`]: the members of a JSON object, or
//! the parameters of a query. Each typed input has a function `from_input`, which declares its fields. A check reads no record.

mod cancellation;
mod change;
mod check;
mod correction;
mod duplicate;
mod event;
mod field;
mod fields;
mod json;
mod list;
mod message;
mod organization;
mod person;
mod questions;
mod shift;
mod shift_hours;
mod sign_up;
mod token;
mod webhook;

pub use cancellation::{Cancellation, DeleteShift};
pub use change::Change;
pub(crate) use check::{
    check_added_shifts, check_closing, check_day, check_external_ids, check_last_day, check_shift_count,
    check_shift_days,
};
pub use correction::Correction;
pub use duplicate::DuplicateEvent;
pub use event::{EventPatch, NewEvent};
use fields::Fields;
pub use json::Input;
pub use message::NewMessage;
pub use organization::{NewOrganization, OrganizationPatch};
pub use person::{Acceptance, Asked, FirstOwner, NewInvitation};
pub use questions::{NewQuestion, QuestionPatch};
pub(crate) use questions::{check_new_question, check_options, check_question_patch};
pub use shift::{NewShift, ShiftPatch};
pub use shift_hours::HoursPatch;
pub use sign_up::{NewAnswer, NewSignup, NewVolunteer, SignUpInput, VolunteerInput};
pub use token::NewToken;
pub(crate) use webhook::check_webhook;
pub use webhook::{NewWebhook, WebhookPatch};

use crate::fault::Faults;

impl Input<'_> {
    /// Checks the input of a write that takes no field, such as a deletion.
    ///
    /// # Errors
    /// Returns a fault for each member.
    pub fn check_empty(self) -> Result<(), Faults> {
        Fields::new(self).finish(Some(()))
    }

    /// Checks the input of a write that needs none and sends no mail, such as a publication: `notify_volunteers`, which every write
    /// takes.
    ///
    /// # Errors
    /// Returns every fault.
    pub fn check_no_mail(self) -> Result<(), Faults> {
        let mut fields = Fields::new(self);
        let _no_mail = fields.without_mail();
        fields.finish(Some(()))
    }

    /// Returns the text of the only field.
    ///
    /// # Errors
    /// Returns every fault.
    pub fn only_text(self, name: &'static str) -> Result<Option<String>, Faults> {
        let mut fields = Fields::new(self);
        let text = fields.string(name).nullable().map(Into::into);
        fields.finish(Some(text))
    }
}
