//! The requests of the steps, and the checks of their results.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use signup_core::{
    DuplicateEvent, Error, IdempotencyKey, NewWebhook, NoticeQuery, Result, Scopes, Secret, Session,
    SignupId, WebhookPatch,
};

use super::run::{Erasure, Simulation};
use super::steps::Step;
use super::world::Cause;

/// Makes a request, and checks its result.
pub(super) async fn perform(simulation: &Simulation, step: Step) {
    let cause = simulation.cause();
    let silent = |is_silent| Cause { is_silent, ..cause };
    let mut is_keyed = true;
    let result = match step.clone() {
        Step::Create(event) => {
            write(simulation, cause, move |session, key| {
                let event = (*event).clone();
                async move { session.create_event(event).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::Duplicate(event, day) => {
            write(simulation, cause, move |session, key| {
                let copy = DuplicateEvent::on(day);
                async move { session.duplicate_event(event, copy).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::PatchEvent(event, patch) => {
            write(simulation, silent(patch.without_mail), move |session, key| {
                let patch = (*patch).clone();
                async move { session.patch_event(event, patch).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::CloseSignups(event) => {
            write(simulation, cause, move |session, key| {
                async move { session.close_signups(event).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::OpenSignups(event) => {
            write(simulation, cause, move |session, key| {
                async move { session.open_signups(event).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::AddShift(event, shift) => {
            write(simulation, cause, move |session, key| {
                let shifts = vec![shift.clone()];
                async move { session.add_shifts(event, shifts).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::PatchShift(shift, patch) => {
            write(simulation, silent(patch.without_mail), move |session, key| {
                let patch = (*patch).clone();
                async move { session.patch_shift(shift, patch).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::DeleteShift(shift, delete) => {
            write(simulation, silent(delete.without_mail), move |session, key| {
                let delete = delete.clone();
                async move { session.delete_shift(shift, delete).with_key(key).await }.boxed()
            })
            .await
        }
        Step::CancelEvent(event, cancel) => {
            write(simulation, silent(cancel.without_mail), move |session, key| {
                let cancel = cancel.clone();
                async move { session.cancel_event(event, cancel).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::DeleteEvent(event) => {
            write(simulation, cause, move |session, key| {
                async move { session.delete_event(event).with_key(key).await }.boxed()
            })
            .await
        }
        Step::Message(event, message) => {
            let (organizer, key) = (simulation.organizer(), key(cause));
            let send = move |service| {
                let (organizer, message, key) = (organizer.clone(), message.clone(), key.clone());
                async move {
                    let session = organizer.session(&service).await?;
                    session.send_message(event, message).with_key(key).await.map(drop)
                }
            };
            simulation.ask(cause, send).await
        }
        Step::CreateWebhook => {
            write(simulation, cause, move |session, key| {
                let new = NewWebhook::new("http://127.0.0.1/hooks".parse().unwrap());
                async move { session.create_webhook(new).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::PatchWebhook(webhook, is_enabled) => {
            write(simulation, cause, move |session, key| {
                let patch = WebhookPatch::new().enabled(is_enabled);
                async move { session.patch_webhook(webhook, patch).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::TestWebhook(webhook) => {
            write(simulation, cause, move |session, key| {
                async move { session.test_webhook(webhook).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        Step::DeleteWebhook(webhook) => {
            write(simulation, cause, move |session, key| {
                async move { session.delete_webhook(webhook).with_key(key).await }.boxed()
            })
            .await
        }
        Step::Redeliver(delivery) => {
            write(simulation, cause, move |session, key| {
                async move { session.redeliver(delivery).with_key(key).await.map(drop) }.boxed()
            })
            .await
        }
        without_key => {
            is_keyed = false;
            perform_without_key(simulation, cause, without_key).await
        }
    };
    simulation.world.trace(|| format!("request {} {step:?}: {result:?}", cause.request));
    let effects = simulation.world.ledger().effects.get(&cause.request).copied().unwrap_or(0);
    // An organizer's sign-in may end between two attempts.
    let is_known = is_keyed && result != Err(Error::Unauthenticated);
    if is_known && effects != u32::from(result.is_ok()) {
        let broken = format!("{step:?} answered {result:?} and took effect {effects} times");
        simulation.world.check(Err(broken));
    }
}

/// Makes a request that is safe to repeat without a key.
async fn perform_without_key(simulation: &Simulation, cause: Cause, step: Step) -> Result<()> {
    let organization = simulation.world.organization();
    match step {
        Step::SignUp(slug, shifts, new) => {
            let address = new.email.key().to_owned();
            simulation.erased.lock().unwrap().remove(&address);
            let cause = Cause { is_sign_up: true, joins_waitlist: new.joins_waitlist, ..cause };
            let signed_up = simulation.ask(cause, move |service| {
                let (slug, shifts, new) = (slug.clone(), shifts.clone(), new.clone());
                async move {
                    let form = service.volunteers().form(&slug, shifts).await?;
                    form.sign_up(new).await?.into_places().map(drop)
                }
            });
            let signed_up = signed_up.await;
            simulation.erased.lock().unwrap().remove(&address);
            signed_up
        }
        Step::CancelByLink(secret, signup) => {
            let answer = simulation.ask(cause, {
                let secret = secret.clone();
                move |service| {
                    let secret = secret.clone();
                    async move { service.volunteers().cancel(&secret, signup).await }
                }
            });
            let began = simulation.world.elapsed();
            let answer = answer.await;
            simulation.world.check(check_cancelled(simulation, &secret, signup, &answer, began));
            answer.map(drop)
        }
        Step::OpenLink(secret) => {
            let answer = simulation.ask(cause, {
                let secret = secret.clone();
                move |service| {
                    let secret = secret.clone();
                    async move { service.volunteers().places(&secret).await.map(drop) }
                }
            });
            let answer = answer.await;
            if answer == Err(Error::NotFound) && works(simulation, &secret) {
                simulation.world.check(Err("a link of a mail does not work".to_owned()));
            }
            answer
        }
        Step::CancelSignup(signup, cancel) => {
            let cause = Cause { is_silent: cancel.without_mail, ..cause };
            let organizer = simulation.organizer();
            let cancel = move |service| {
                let (organizer, cancel) = (organizer.clone(), cancel.clone());
                async move { organizer.session(&service).await?.cancel_signup(signup, cancel).await.map(drop) }
            };
            simulation.ask(cause, cancel).await
        }
        Step::MoveSignup(signup, shift) => {
            let organizer = simulation.organizer();
            let move_signup = move |service| {
                let organizer = organizer.clone();
                async move { organizer.session(&service).await?.move_signup(signup, shift).await.map(drop) }
            };
            simulation.ask(cause, move_signup).await
        }
        Step::MarkAttendance(signup, attendance) => {
            let organizer = simulation.organizer();
            let mark = move |service| {
                let organizer = organizer.clone();
                async move {
                    organizer.session(&service).await?.mark_attendance(signup, attendance).await.map(drop)
                }
            };
            simulation.ask(cause, mark).await
        }
        Step::RestoreEvent(event) => {
            simulation
                .ask(
                    cause,
                    move |service| async move { service.admin().restore_event(event).await.map(drop) },
                )
                .await
        }
        Step::Erase(address) => {
            let key = address.key().to_owned();
            simulation.erased.lock().unwrap().insert(key.clone(), Erasure::Begun);
            let answer = simulation.ask(cause, move |service| {
                let address = address.clone();
                async move { service.admin().erase_signups(organization, &address).await.map(drop) }
            });
            let answer = answer.await;
            if let (Ok(()), Some(erasure)) = (&answer, simulation.erased.lock().unwrap().get_mut(&key)) {
                *erasure = Erasure::Done;
            }
            answer
        }
        _ => {
            retry_failed(simulation).await;
            Ok(())
        }
    }
}

/// Queues every failed notice again.
pub(super) async fn retry_failed(simulation: &Simulation) {
    let retry = |service: signup_core::Service| async move {
        let admin = service.admin();
        for failed in admin.notices(NoticeQuery::Failed(None), 99).await? {
            match admin.retry_notice(failed.id).await {
                Ok(_) | Err(Error::NoticeNotFailed | Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    drop(simulation.ask(simulation.cause(), retry).await);
}

/// Returns whether the link of a mail must still work.
fn works(simulation: &Simulation, secret: &Secret) -> bool {
    let (ledger, now) = (simulation.world.ledger(), simulation.world.now());
    let soon = now + signup_core::Notice::CLOCK_SKEW;
    ledger.links.get(&secret.digest()).is_some_and(|link| link.expires_at > soon)
}

fn check_cancelled(
    simulation: &Simulation,
    secret: &Secret,
    signup: SignupId,
    answer: &Result<signup_core::Signup>,
    began: Duration,
) -> std::result::Result<(), String> {
    let is_working = works(simulation, secret);
    let ledger = simulation.world.ledger();
    let history = ledger.signups.get(&signup);
    match (answer, history) {
        (Ok(_), Some(history)) if history.is_active() => Err(format!("{signup} was not cancelled")),
        (Err(Error::NotFound), Some(history)) if is_working => {
            let event = &ledger.events[&history.signup.event];
            let was_deleted = ledger.restored.get(&event.id).is_some_and(|at| *at >= began);
            if event.deleted_at.is_some() || was_deleted {
                Ok(())
            } else {
                Err(format!("the link of {signup} does not work"))
            }
        }
        _ => Ok(()),
    }
}

fn key(cause: Cause) -> IdempotencyKey {
    format!("request-{}", cause.request).parse().unwrap()
}

/// Makes a write under a key of its own.
async fn write(
    simulation: &Simulation,
    cause: Cause,
    write: impl Fn(Session, IdempotencyKey) -> BoxFuture<'static, Result<()>> + Clone + Send + Sync + 'static,
) -> Result<()> {
    let organization = simulation.world.organization();
    let request = move |service: signup_core::Service| {
        let (write, key) = (write.clone(), key(cause));
        async move { write(service.session_for(organization, Scopes::all()).await?, key).await }
    };
    simulation.ask(cause, request).await
}
