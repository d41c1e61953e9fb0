//! The accesses of each requirement and of each write.

use super::{Access, Key, Keys};
use crate::question::Question;
use crate::store::{Requirement, Write};

impl Requirement {
    /// Returns the keys that decide whether the requirement holds, and what its refusal carries.
    pub fn keys(&self) -> Keys {
        self.accesses().into_iter().collect()
    }

    /// Returns the accesses that make up the [`keys`](Self::keys), without combining them.
    pub fn accesses(&self) -> Vec<(Key, Access)> {
        use Access::{Commute, Read, Write};
        match self {
            Self::NoOrganization => vec![(Key::Organizations, Read)],
            Self::OrganizationSlugFree(slug) => {
                vec![(Key::OrganizationSlug(slug.clone()), Read)]
            }
            Self::EventSlugFree(slug) => vec![(Key::EventSlug(slug.clone()), Read)],
            Self::NoReceipt { key, now: _ } => vec![(Key::Receipt(key.clone()), Read)],
            Self::ShiftAtVersion { organization, shift, version: _ } => {
                vec![(Key::Shift(*organization, *shift), Read)]
            }
            Self::EventAtVersion { organization, event, version: _ }
            | Self::EventDeleted { organization, event, version: _ } => {
                vec![(Key::Event(*organization, *event), Read)]
            }
            // Every write of answers reads the event. So the check excludes them.
            Self::QuestionUnanswered { organization, event, question: _ } => {
                vec![(Key::Event(*organization, *event), Write)]
            }
            Self::ActiveEventsBelow { organization, limit: _, now: _ } => {
                vec![(Key::ActiveEvents(*organization), Commute)]
            }
            // Changes nothing of the event. Every new sign-up reads the event, so this access excludes new sign-ups, and a
            // store need not lock each shift.
            Self::ShiftsAreEmpty { organization, event, shifts } => {
                let signups = shifts.iter().map(|shift| (Key::Signups(*organization, *shift), Read));
                [(Key::Event(*organization, *event), Write)].into_iter().chain(signups).collect()
            }
            // The record of the shift has the capacity.
            Self::ShiftHasRoom { organization, shift } => vec![
                (Key::Shift(*organization, *shift), Read),
                (Key::Signups(*organization, *shift), Commute),
            ],
            Self::AddressNotOnShift { organization, shift, email } => vec![
                (Key::Signups(*organization, *shift), Commute),
                (Key::Address(*organization, *shift, email.key()), Read),
            ],
            // `CloseShift` writes the set of sign-ups, and not each sign-up.
            Self::SignupConfirmed { organization, shift, signup }
            | Self::SignupHasSecret { organization, shift, signup, secret: _ } => vec![
                (Key::Signups(*organization, *shift), Commute),
                (Key::Signup(*organization, *signup), Read),
            ],
            Self::NoticeAtVersion { organization, notice, version: _ } => {
                vec![(Key::Notices(*organization), Commute), (Key::Notice(*organization, *notice), Read)]
            }
        }
    }
}

impl Write {
    /// Returns the keys that the write changes, and those of the records that it refers to.
    pub fn keys(&self) -> Keys {
        self.accesses().into_iter().collect()
    }

    /// Returns the accesses that make up the [`keys`](Self::keys), without combining them.
    pub fn accesses(&self) -> Vec<(Key, Access)> {
        use Access::{Commute, Insert, Read, Write};
        match self {
            Self::InsertOrganization(new) => vec![
                (Key::Organizations, Write),
                (Key::OrganizationSlug(new.slug.clone()), Write),
                (Key::Organization(new.id), Insert),
            ],
            Self::SetPlan { organization, plan: _ } => {
                vec![(Key::Organization(*organization), Write)]
            }
            Self::InsertToken(new) => {
                vec![(Key::Organization(new.organization), Read), (Key::Token(new.id), Insert)]
            }
            Self::RevokeToken { token, at: _ } => vec![(Key::Token(*token), Write)],
            Self::InsertEvent { event, location_data: _ } => {
                let total = self.adds_to().map(|total| (total, Commute));
                let record = [
                    (Key::EventSlug(event.slug.clone()), Write),
                    (Key::Organization(event.organization), Read),
                    (Key::Event(event.organization, event.id), Insert),
                ];
                record.into_iter().chain(total).collect()
            }
            Self::UpdateEvent { event, may_change_activity } => {
                let record = (Key::Event(event.organization, event.id), Write);
                let total = may_change_activity.then_some((Key::ActiveEvents(event.organization), Commute));
                [record].into_iter().chain(total).collect()
            }
            Self::SetLocationData { organization, event, location_data: _ } => {
                vec![(Key::Event(*organization, *event), Write)]
            }
            Self::DeleteEvent { organization, event, at: _ } => {
                vec![(Key::ActiveEvents(*organization), Commute), (Key::Event(*organization, *event), Write)]
            }
            Self::RestoreEvent(event) => vec![
                (Key::ActiveEvents(event.organization), Commute),
                (Key::Event(event.organization, event.id), Write),
            ],
            Self::InsertShifts(new) => new
                .iter()
                .flat_map(|shift| {
                    [
                        (Key::Event(shift.organization, shift.event), Read),
                        (Key::Shift(shift.organization, shift.id), Insert),
                        (Key::Signups(shift.organization, shift.id), Insert),
                    ]
                })
                .collect(),
            Self::InsertQuestions(new) => new
                .iter()
                .flat_map(|question| {
                    [
                        (Key::Event(question.organization, question.event), Read),
                        (Key::Questions(question.organization, question.event), Write),
                    ]
                })
                .collect(),
            Self::UpdateQuestion(Question { organization, event, .. })
            | Self::DeleteQuestion { organization, event, question: _ } => {
                vec![(Key::Questions(*organization, *event), Write)]
            }
            Self::UpdateShift(new) => vec![(Key::Shift(new.organization, new.id), Write)],
            Self::DeleteShift { organization, shift, at: _ } => {
                vec![(Key::Shift(*organization, *shift), Write)]
            }
            Self::InsertSignup(new) => vec![
                (Key::Event(new.organization, new.event), Read),
                (Key::Shift(new.organization, new.shift), Read),
                (Key::Signups(new.organization, new.shift), Commute),
                (Key::Address(new.organization, new.shift, new.email.key()), Write),
                (Key::Signup(new.organization, new.id), Insert),
            ],
            // The address of the sign-up is unknown here. The set of sign-ups stands for it: a requirement or a write
            // that accesses an address of the shift also accesses the set.
            Self::RenewSecret { organization, shift, signup, secret: _, at: _ } => vec![
                (Key::Signups(*organization, *shift), Write),
                (Key::Signup(*organization, *signup), Write),
            ],
            Self::CancelSignup { organization, shift, signup, at: _, by: _ } => vec![
                (Key::Shift(*organization, *shift), Read),
                (Key::Signups(*organization, *shift), Write),
                (Key::Signup(*organization, *signup), Write),
            ],
            Self::CloseShift { organization, shift, at: _, by: _ } => {
                vec![(Key::Shift(*organization, *shift), Read), (Key::Signups(*organization, *shift), Write)]
            }
            Self::EraseSignup { organization, event, shift, signup } => vec![
                (Key::Event(*organization, *event), Read),
                (Key::Shift(*organization, *shift), Read),
                (Key::Signups(*organization, *shift), Write),
                (Key::Signup(*organization, *signup), Write),
                (Key::Notices(*organization), Write),
            ],
            Self::InsertReceipt(new) => vec![(Key::Receipt(new.key.clone()), Write)],
            Self::InsertNotices(new) => new
                .iter()
                .flat_map(|notice| {
                    let organization = notice.organization;
                    let signup =
                        notice.cause.signup().map(|signup| (Key::Signup(organization, signup), Read));
                    let record = [
                        (Key::Shift(organization, notice.shift), Read),
                        (Key::Notices(organization), Commute),
                        (Key::Notice(organization, notice.id), Insert),
                    ];
                    record.into_iter().chain(signup)
                })
                .collect(),
            Self::UpdateNotice(new) => vec![
                (Key::Notices(new.organization), Commute),
                (Key::Notice(new.organization, new.id), Write),
            ],
            Self::DeleteNotice { organization, notice } => {
                vec![(Key::Notices(*organization), Commute), (Key::Notice(*organization, *notice), Write)]
            }
        }
    }

    /// Returns the total that the write may add 1 to: [`Key::Signups`] for a sign-up, [`Key::ActiveEvents`] for an event
    /// that is published and not cancelled.
    ///
    /// An event that has already ended counts here, too, because a write does not know the present time. So does an
    /// updated event that was active before.
    pub fn adds_to(&self) -> Option<Key> {
        match self {
            Self::InsertSignup(new) => Some(Key::Signups(new.organization, new.shift)),
            Self::InsertEvent { event, location_data: _ }
            | Self::UpdateEvent { event, may_change_activity: true }
            | Self::RestoreEvent(event) => {
                let counts = event.is_published && !event.is_cancelled();
                counts.then_some(Key::ActiveEvents(event.organization))
            }
            Self::InsertOrganization(_)
            | Self::SetPlan { .. }
            | Self::InsertToken(_)
            | Self::RevokeToken { .. }
            | Self::UpdateEvent { may_change_activity: false, .. }
            | Self::SetLocationData { .. }
            | Self::DeleteEvent { .. }
            | Self::InsertShifts(_)
            | Self::InsertQuestions(_)
            | Self::UpdateQuestion(_)
            | Self::DeleteQuestion { .. }
            | Self::UpdateShift(_)
            | Self::DeleteShift { .. }
            | Self::CancelSignup { .. }
            | Self::CloseShift { .. }
            | Self::RenewSecret { .. }
            | Self::EraseSignup { .. }
            | Self::InsertReceipt(_)
            | Self::InsertNotices(_)
            | Self::UpdateNotice(_)
            | Self::DeleteNotice { .. } => None,
        }
    }
}
