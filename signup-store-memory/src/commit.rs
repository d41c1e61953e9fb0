//! Checks requirements and applies writes. All checks precede the first write, so there is no rollback.

use jiff::Timestamp;
use signup_core::{
    Digest, Event, LocationData, Notice, NoticeId, Occupancy, OrganizationId, Question, Receipt, Refusal,
    Requirement, Shift, Signup, SignupId, SignupStatus, Token, Write,
};

use crate::tables::{Tables, list_key};

impl Tables {
    pub(crate) fn check(&self, requirement: &Requirement) -> Result<(), Refusal> {
        match requirement {
            Requirement::NoOrganization => {
                require(self.organizations.is_empty(), || Refusal::OrganizationExists)
            }
            Requirement::OrganizationSlugFree(slug) => {
                require(!self.organization_slugs.contains_key(slug), || Refusal::SlugTaken)
            }
            Requirement::EventSlugFree(slug) => {
                require(!self.event_slugs.contains_key(slug), || Refusal::SlugTaken)
            }
            Requirement::NoReceipt { key, now } => match self.receipts.get(key) {
                Some(receipt) if receipt.is_live(*now) => Err(Refusal::Receipt(Box::new(receipt.clone()))),
                _ => Ok(()),
            },
            Requirement::ShiftAtVersion { organization, shift, version } => {
                let shift = self.shift(*organization, *shift);
                require(shift.is_some_and(|shift| shift.version == *version), || Refusal::ShiftChanged)
            }
            Requirement::QuestionCount { organization, event, count } => {
                let found = self.event(*organization, *event).map(|event| self.questions_of(event).len());
                require(found == Some(*count as usize), || Refusal::QuestionsChanged)
            }
            Requirement::ActiveEventsBelow { organization, limit, now } => {
                let count = u32::try_from(self.active_events(*organization, *now)).unwrap_or(u32::MAX);
                require(count < *limit, || Refusal::ActiveEvents { count })
            }
            Requirement::ShiftHasRoom { organization, shift } => {
                let shift = self.shift(*organization, *shift);
                require(shift.is_some_and(|shift| shift.occupancy.has_room()), || Refusal::ShiftFull)
            }
            Requirement::AddressNotOnShift { organization, shift, email } => {
                let id = self.places.get(&(*shift, email.key()));
                let signup = id.and_then(|id| self.signups.get(id));
                match signup.filter(|signup| signup.organization == *organization) {
                    Some(signup) => Err(Refusal::AddressOnShift(Box::new(signup.clone()))),
                    None => Ok(()),
                }
            }
            Requirement::SignupConfirmed { organization, signup } => {
                let signup = self.signup(*organization, *signup);
                let is_confirmed = signup.is_some_and(|signup| signup.status == SignupStatus::Confirmed);
                require(is_confirmed, || Refusal::SignupNotConfirmed)
            }
            Requirement::SignupHasSecret { organization, signup, secret } => {
                let signup = self.signup(*organization, *signup);
                let is_same = signup.is_some_and(|signup| {
                    signup.status == SignupStatus::Confirmed && signup.secret == *secret
                });
                require(is_same, || Refusal::SignupChanged)
            }
            Requirement::NoticeAtVersion { organization, notice, version } => {
                let notice = self.notice(*organization, *notice);
                require(notice.is_some_and(|notice| notice.version == *version), || Refusal::NoticeChanged)
            }
        }
    }

    pub(crate) fn apply(&mut self, write: Write) {
        match write {
            Write::InsertOrganization(organization) => {
                self.organization_slugs.insert(organization.slug.clone(), organization.id);
                self.organizations.insert(organization.id, organization);
            }
            Write::SetPlan { organization, plan } => {
                if let Some(found) = self.organizations.get_mut(&organization) {
                    found.plan = plan;
                }
            }
            Write::InsertToken(token) => self.insert_token(token),
            Write::RevokeToken { token, at } => {
                if let Some(token) = self.tokens.get_mut(&token) {
                    token.revoked_at.get_or_insert(at);
                }
            }
            Write::InsertEvent { event, location_data } => self.insert_event(*event, location_data),
            Write::InsertShifts(shifts) => shifts.into_iter().for_each(|shift| self.insert_shift(shift)),
            Write::InsertQuestions(questions) => {
                questions.into_iter().for_each(|question| self.insert_question(question));
            }
            Write::UpdateShift(shift) => self.update_shift(*shift),
            Write::InsertSignup(signup) => self.insert_signup(*signup),
            Write::CancelSignup { organization, signup, at, .. } => {
                if self.signup(organization, signup).is_some() {
                    self.cancel_signup(signup, at);
                }
            }
            Write::RenewSecret { organization, signup, secret, at, .. } => {
                if let Some(former) = self.signup(organization, signup).map(|signup| signup.secret) {
                    self.renew_secret(signup, former, secret, at);
                }
            }
            Write::EraseSignup { organization, signup, .. } => {
                if self.signup(organization, signup).is_some() {
                    self.erase_signup(signup);
                }
                self.delete_notices_about(organization, signup);
            }
            Write::InsertReceipt(receipt) => self.insert_receipt(*receipt),
            Write::InsertNotices(notices) => notices.into_iter().for_each(|notice| self.put_notice(notice)),
            Write::UpdateNotice(notice) => self.update_notice(*notice),
            Write::DeleteNotice { organization, notice } => {
                if self.notice(organization, notice).is_some() {
                    self.delete_notice(notice);
                }
            }
        }
    }

    fn insert_token(&mut self, token: Token) {
        self.token_digests.insert(token.digest, token.id);
        self.tokens.insert(token.id, token);
    }

    fn insert_event(&mut self, event: Event, location_data: Option<LocationData>) {
        for filter in [None, Some(event.is_published)] {
            let list = self.lists.entry((event.organization, filter)).or_default();
            list.insert(list_key(&event));
        }
        if event.is_published {
            self.published_ends.insert((event.organization, event.dates.ends_at(), event.id));
        }
        if let Some(data) = location_data {
            self.location_data.insert(event.id, data);
        }
        self.event_slugs.insert(event.slug.clone(), event.id);
        self.events.insert(event.id, event);
    }

    fn insert_shift(&mut self, mut shift: Shift) {
        if let Some(event) = self.events.get(&shift.event) {
            shift.day = event.dates.first.clone();
            shift.is_virtual = event.is_virtual;
        }
        self.shifts_of_event.entry(shift.event).or_default().push(shift.id);
        self.shifts.insert(shift.id, shift);
    }

    fn insert_question(&mut self, question: Question) {
        self.question_positions.insert((question.event, question.position, question.id));
        self.questions.insert(question.id, question);
    }

    fn update_shift(&mut self, shift: Shift) {
        let Some(found) =
            self.shifts.get_mut(&shift.id).filter(|found| found.organization == shift.organization)
        else {
            return;
        };
        found.title = shift.title;
        found.location = shift.location;
        found.hours = shift.hours;
        found.occupancy = Occupancy { capacity: shift.occupancy.capacity, ..found.occupancy };
        found.version = shift.version;
        found.updated_at = shift.updated_at;
    }

    fn insert_signup(&mut self, signup: Signup) {
        if let Some(shift) = self.shifts.get_mut(&signup.shift) {
            shift.occupancy.filled += 1;
        }
        self.places.insert((signup.shift, signup.email.key()), signup.id);
        self.signup_secrets.insert(signup.secret, signup.id);
        self.confirmed_of_shift.entry(signup.shift).or_default().insert(signup.id);
        self.signups_of_event.entry(signup.event).or_default().insert(signup.id);
        self.signups.insert(signup.id, signup);
    }

    fn cancel_signup(&mut self, id: SignupId, at: Timestamp) {
        let Some(signup) =
            self.signups.get_mut(&id).filter(|signup| signup.status == SignupStatus::Confirmed)
        else {
            return;
        };
        signup.status = SignupStatus::Cancelled;
        signup.cancelled_at = Some(at);
        let signup = signup.clone();
        self.free_place(&signup);
    }

    fn free_place(&mut self, signup: &Signup) {
        self.places.remove(&(signup.shift, signup.email.key()));
        if let Some(confirmed) = self.confirmed_of_shift.get_mut(&signup.shift) {
            confirmed.remove(&signup.id);
        }
        if let Some(shift) = self.shifts.get_mut(&signup.shift) {
            shift.occupancy.filled -= 1;
        }
    }

    fn renew_secret(&mut self, id: SignupId, former: Digest, secret: Digest, at: Timestamp) {
        self.signup_secrets.remove(&former);
        self.signup_secrets.insert(secret, id);
        if let Some(signup) = self.signups.get_mut(&id) {
            signup.secret = secret;
            signup.mailed_at = at;
        }
    }

    fn erase_signup(&mut self, id: SignupId) {
        let Some(signup) = self.signups.remove(&id) else { return };
        if signup.status == SignupStatus::Confirmed {
            self.free_place(&signup);
        }
        self.signup_secrets.remove(&signup.secret);
        if let Some(signups) = self.signups_of_event.get_mut(&signup.event) {
            signups.remove(&id);
        }
    }

    fn delete_notices_about(&mut self, organization: OrganizationId, signup: SignupId) {
        let is_about =
            |notice: &&Notice| notice.organization == organization && notice.cause.signup() == Some(signup);
        let notices: Vec<_> = self.notices.values().filter(is_about).map(|notice| notice.id).collect();
        notices.into_iter().for_each(|notice| self.delete_notice(notice));
    }

    fn put_notice(&mut self, notice: Notice) {
        if notice.failure.is_none() {
            self.due.insert((notice.due_at, notice.id));
        }
        self.notices.insert(notice.id, notice);
    }

    fn update_notice(&mut self, notice: Notice) {
        let Some(found) = self.notice(notice.organization, notice.id) else { return };
        let mut updated = found.clone();
        updated.cause = notice.cause;
        updated.version = notice.version;
        updated.attempts = notice.attempts;
        updated.due_at = notice.due_at;
        updated.failure = notice.failure;
        self.delete_notice(updated.id);
        self.put_notice(updated);
    }

    fn delete_notice(&mut self, id: NoticeId) {
        if let Some(notice) = self.notices.remove(&id) {
            self.due.remove(&(notice.due_at, id));
        }
    }

    fn insert_receipt(&mut self, receipt: Receipt) {
        if let Some(former) = self.receipts.remove(&receipt.key) {
            self.receipt_ends.remove(&(former.expires_at, former.key));
        }
        self.receipt_ends.insert((receipt.expires_at, receipt.key.clone()));
        self.receipts.insert(receipt.key.clone(), receipt);
    }
}

fn require(holds: bool, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal()) }
}
