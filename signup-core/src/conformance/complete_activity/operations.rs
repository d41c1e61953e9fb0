//! Random operations of the handles.
//!
//! Small numbers describe an operation: they select among the records that exist, and among a few values of each field. So an
//! operation makes sense in every state, many patches change no value, and a list that fails shrinks to small numbers.

mod operator;
mod writes;

use std::sync::Arc;

use proptest::array::uniform20;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::random::Numbers;
use super::super::records::at;
use super::inputs::*;
use super::people::{Deed, Secrets};
use super::records::{Owned, State};
use crate::*;

use writes::write;

/// An operation of a handle.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    action: Action,
    numbers: [u8; 20],
}

macro_rules! actions {
    ($($name:ident: $weight:literal,)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Action {
            $($name),+
        }

        /// The actions, and how frequent they are.
        const ACTIONS: &[(Action, usize)] = &[$((Action::$name, $weight)),+];
    };
}

actions! {
    Repeat: 14,
    CreateEvent: 7,
    PatchEvent: 14,
    Publish: 4,
    Unpublish: 4,
    Duplicate: 2,
    CancelEvent: 1,
    DeleteEvent: 3,
    AddShifts: 4,
    PatchShift: 6,
    DeleteShift: 3,
    AddQuestion: 3,
    PatchQuestion: 6,
    DeleteQuestion: 2,
    CancelEventAsOperator: 1,
    DeleteEventAsOperator: 1,
    RestoreEvent: 5,
    AddQuestionAsOperator: 1,
    CancelSignup: 3,
    Erase: 3,
    CreateToken: 2,
    RevokeToken: 2,
    UpdateOrganization: 3,
    SetPlan: 2,
    CreateOrganization: 1,
    CreateFirstOrganization: 1,
    SignUp: 12,
    CancelAsVolunteer: 4,
    CreateWebhook: 4,
    PatchWebhook: 5,
    RotateSecret: 1,
    TestWebhook: 1,
    DeleteWebhook: 2,
    Redeliver: 2,
    Deliver: 2,
    Push: 6,
    Wait: 3,
    Purge: 2,
    InviteAsOperator: 6,
    Accept: 7,
    RemoveAsOperator: 2,
    Leave: 1,
    Invite: 4,
    Withdraw: 4,
    ChangeRole: 5,
    Remove: 4,
    CreateTokenAsPerson: 1,
    UpdateAsPerson: 2,
}

/// Generates an operation.
pub(super) fn operation() -> impl Strategy<Value = Operation> {
    let actions = ACTIONS.iter().flat_map(|(action, weight)| std::iter::repeat_n(*action, *weight));
    let actions = select(actions.collect::<Vec<_>>());
    let number = prop_oneof![1 => Just(0), 3 => 0..60_u8];
    (actions, uniform20(number)).prop_map(|(action, numbers)| Operation { action, numbers })
}

impl Operation {
    /// Returns the first operations of each run: a webhook, an event with a shift, a question and a sign-up, an owner, a member who
    /// is none, and a token of a second organization.
    pub(super) fn first() -> Vec<Self> {
        let with = |at: usize, number| std::array::from_fn(|place| if place == at { number } else { 0 });
        let (second, owner, other) = (with(0, 5), with(3, 2), with(2, 2));
        [
            (Action::CreateWebhook, [0; 20]),
            (Action::CreateEvent, [0; 20]),
            (Action::AddQuestion, [0; 20]),
            (Action::SignUp, [0; 20]),
            (Action::InviteAsOperator, owner),
            (Action::Accept, [0; 20]),
            (Action::InviteAsOperator, other),
            (Action::Accept, [0; 20]),
            (Action::CreateOrganization, [0; 20]),
            (Action::CreateToken, second),
        ]
        .map(|(action, numbers)| Self { action, numbers })
        .into()
    }

    /// Returns whether the operation is the one before it again.
    pub(super) fn is_repetition(&self) -> bool {
        self.action == Action::Repeat
    }
}

/// What may have changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Records of any kind.
    Write,
    /// Nothing: the stored answer of an earlier operation was returned.
    Replay,
    /// Nothing: the operation was refused.
    Refused(Error),
    /// Nothing that is not expired or deleted.
    Purge,
    /// No record that activity is about: notices.
    Delivery,
    /// The time.
    Wait,
}

/// An operation that was executed.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) actor: Actor,
    pub(super) effect: Effect,
}

impl Done {
    pub(super) fn by<T>(actor: Actor, outcome: Result<T>) -> Self {
        Self { actor, effect: outcome.map_or_else(Effect::Refused, |_| Effect::Write) }
    }

    pub(super) fn by_operator<T>(outcome: Result<T>) -> Option<Self> {
        Some(Self::by(Actor::Operator, outcome))
    }

    fn by_system(effect: Effect) -> Option<Self> {
        Some(Self { actor: Actor::System, effect })
    }
}

/// A service on the store, with what only its callers know.
pub(super) struct Run {
    service: Service,
    clock: Arc<FixedClock>,
    /// The tokens, the first of which has every scope.
    tokens: Vec<(OrganizationId, TokenText)>,
    /// The secrets of sign-ups, the newest first.
    secrets: Vec<Secret>,
    people: Secrets,
}

impl Run {
    /// Creates the service, and the first organization with a token.
    pub(super) async fn start(store: Arc<dyn Store>) -> (Self, Done) {
        let clock = Arc::new(FixedClock::at(at(0)));
        let mut plans = PlanTable::uniform(PlanLimits::unlimited().active_events(2).event_days(3));
        plans.pro.active_events = 4;
        let service = Service::shared(store).with_clock(Arc::clone(&clock)).with_plans(plans);
        let new = NewOrganization::new("Riverside".parse().unwrap()).plan(Plan::Pro);
        let token = NewToken::new("nightly import".parse().unwrap(), Scopes::all());
        let created = service.admin().create_first_organization(new, token).await.unwrap();
        let (organization, text, _) = created.unwrap();
        let run = Self {
            service,
            clock,
            tokens: vec![(organization.id, text)],
            secrets: vec![],
            people: Secrets::default(),
        };
        (run, Done { actor: Actor::Operator, effect: Effect::Write })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.service.now()
    }

    /// Executes the operation. Returns `None` if it selects among no records of `state`.
    pub(super) async fn execute(&mut self, operation: &Operation, state: &State) -> Option<Done> {
        let numbers = &mut Numbers(operation.numbers.iter());
        match operation.action {
            Action::Repeat => None,
            Action::CreateOrganization
            | Action::CreateFirstOrganization
            | Action::CreateToken
            | Action::RevokeToken
            | Action::UpdateOrganization
            | Action::SetPlan => self.administer(operation.action, numbers, state).await,
            Action::CancelEventAsOperator
            | Action::DeleteEventAsOperator
            | Action::RestoreEvent
            | Action::AddQuestionAsOperator
            | Action::CancelSignup
            | Action::Erase => self.operate(operation.action, numbers, state).await,
            Action::SignUp => self.sign_up(numbers, state).await,
            Action::CancelAsVolunteer => {
                let secret = numbers.pick(&self.secrets)?;
                Some(Done::by(Actor::Volunteer, self.service.volunteers().cancel(secret).await))
            }
            Action::Deliver | Action::Push | Action::Wait | Action::Purge => {
                self.pass_time(operation.action, numbers).await;
                Done::by_system(match operation.action {
                    Action::Deliver => Effect::Delivery,
                    // The service may disable the webhook.
                    Action::Push => Effect::Write,
                    Action::Wait => Effect::Wait,
                    _ => Effect::Purge,
                })
            }
            action => match deed(action) {
                Some(deed) => {
                    let owner = organization(numbers, state)?;
                    self.people.execute(&self.service, deed, numbers, owner, state).await
                }
                None => self.use_session(action, numbers, state).await,
            },
        }
    }

    /// Uses a session: mostly that of a token, and without one if the token is expired or revoked.
    async fn use_session(&self, action: Action, numbers: &mut Numbers<'_>, state: &State) -> Option<Done> {
        let (organization, text) = match numbers.below(3) {
            2 => numbers.pick(&self.tokens)?,
            _ => &self.tokens[0],
        };
        let owner = &state[organization];
        let token = owner.tokens.values().find(|token| token.digest == text.digest())?;
        let with_token = match numbers.below(4) {
            3 => None,
            _ => self.service.authenticate(text.reveal()).await.ok(),
        };
        let (session, actor) = match with_token {
            Some(session) => (session, Actor::Token { id: token.id, name: token.name.clone() }),
            None => (self.service.session_for(*organization, Scopes::all()).await.unwrap(), Actor::Operator),
        };
        let key = [None, Some("a"), Some("b"), Some("a")][usize::from(numbers.below(4))];
        let session = key.map_or_else(|| session.clone(), |key| session.with_key(key.parse().unwrap()));
        // Sometimes records of another organization.
        let seen = if numbers.below(12) == 11 { numbers.pick(state.values())? } else { owner };
        let outcome = write(&session, action, numbers, seen, self.now()).await?;
        if outcome.is_ok() && session.is_replay() {
            return Some(Done { actor, effect: Effect::Replay });
        }
        Some(Done::by(actor, outcome))
    }

    /// Signs up a volunteer, who mostly answers every question.
    async fn sign_up(&mut self, numbers: &mut Numbers<'_>, state: &State) -> Option<Done> {
        let owner = organization(numbers, state)?;
        let shifts = owner.full.values().rev().flat_map(|full| &full.shifts);
        let shift = numbers.pick(shifts)?;
        let full = &owner.full[&shift.event];
        let mut new = NewSignup::new("Ada".parse().unwrap(), email(numbers));
        let answers = numbers.below(4) != 3;
        for question in full.questions.iter().filter(|_| answers) {
            new = match question.kind {
                QuestionKind::Text => new.answer(question.id, "M".parse().unwrap()),
                QuestionKind::Checkbox => new.tick(question.id),
                QuestionKind::Select => new.choose(question.id, question.options[0].clone()),
            };
        }
        let volunteers = self.service.volunteers();
        let form = match numbers.below(2) {
            0 => volunteers.form(&full.event.slug, shift.id).await,
            _ => volunteers.form_of(shift.organization, shift.id).await,
        };
        let signed_up = match form {
            Ok(form) => form.sign_up(new).await,
            Err(error) => Err(error),
        };
        let secret = signed_up.iter().find_map(|signed_up| signed_up.secret.clone());
        self.secrets.splice(0..0, secret);
        Some(Done::by(Actor::Volunteer, signed_up))
    }

    /// Does what happens without a request: time passes, mails and a delivery to a webhook are sent, and old records are purged.
    async fn pass_time(&self, action: Action, numbers: &mut Numbers<'_>) {
        match action {
            Action::Wait => {
                self.clock.advance(one(&[1, 90, 3600, 86_400, 5 * 86_400, 31 * 86_400], numbers));
            }
            Action::Push => self.push(numbers).await,
            Action::Purge => while self.service.admin().purge(100).await.unwrap() == 100 {},
            _ => {
                let outbox = self.service.outbox();
                for notice in outbox.due(100).await.unwrap() {
                    let Some(mail) = outbox.claim(&notice).await.unwrap() else { continue };
                    match numbers.below(3) {
                        1 => drop(outbox.report_failed(&mail, MailFailure::Permanent, "no").await.unwrap()),
                        2 => {}
                        _ => drop(outbox.report_sent(&mail.notice).await.unwrap()),
                    }
                }
            }
        }
    }

    /// Claims one of the due deliveries, and mostly reports an attempt.
    async fn push(&self, numbers: &mut Numbers<'_>) {
        let outbox = self.service.outbox();
        let due = outbox.due_deliveries(9).await.unwrap();
        let Some(due) = numbers.pick(due) else { return };
        let Some((webhook, claimed)) = outbox.claim_delivery(&due).await.unwrap() else { return };
        let attempt = match numbers.below(6) {
            0 | 1 => Attempt::Succeeded { status: 204 },
            2 => Attempt::Gone,
            3 => return,
            _ => Attempt::Failed { status: None, error: "timeout".to_owned(), retry_after: None },
        };
        assert!(outbox.report_attempt(&webhook, &claimed, &attempt).await.unwrap().is_some());
    }
}

/// Returns the operation on people, or by a person, that an action stands for.
const fn deed(action: Action) -> Option<Deed> {
    Some(match action {
        Action::InviteAsOperator => Deed::InviteAsOperator,
        Action::Accept => Deed::Accept,
        Action::RemoveAsOperator => Deed::RemoveAsOperator,
        Action::Leave => Deed::Leave,
        Action::Invite => Deed::Invite,
        Action::Withdraw => Deed::Withdraw,
        Action::ChangeRole => Deed::ChangeRole,
        Action::Remove => Deed::Remove,
        Action::CreateTokenAsPerson => Deed::CreateToken,
        Action::UpdateAsPerson => Deed::UpdateOrganization,
        _ => return None,
    })
}

/// Returns the last organization, or mostly the first.
fn organization<'s>(numbers: &mut Numbers<'_>, state: &'s State) -> Option<&'s Owned> {
    if numbers.below(6) == 5 { state.values().next_back() } else { state.values().next() }
}
