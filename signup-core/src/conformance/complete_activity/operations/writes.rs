//! The writes of a session.

use super::super::inputs::*;
use super::super::records::Owned;
use super::{Action, Numbers};
use crate::*;

/// Writes through a session. Returns `None` if the numbers select among no records.
pub(super) async fn write(
    session: &Session,
    action: Action,
    numbers: &mut Numbers<'_>,
    seen: &Owned,
    now: Timestamp,
) -> Option<Result<()>> {
    match action {
        Action::CreateEvent => Some(session.create_event(new_event(numbers, now)).await.map(drop)),
        Action::CreateWebhook => Some(session.create_webhook(new_webhook(numbers)).await.map(drop)),
        Action::PatchWebhook
        | Action::RotateSecret
        | Action::TestWebhook
        | Action::DeleteWebhook
        | Action::Redeliver => write_webhook(session, action, numbers, seen).await,
        _ => write_event(session, action, numbers, seen, now).await,
    }
}

async fn write_event(
    session: &Session,
    action: Action,
    numbers: &mut Numbers<'_>,
    seen: &Owned,
    now: Timestamp,
) -> Option<Result<()>> {
    // Sometimes a deleted event.
    let event = match numbers.below(8) {
        7 => *numbers.pick(seen.events.keys().rev())?,
        _ => *numbers.pick(seen.full.keys().rev())?,
    };
    let full = seen.full.get(&event);
    let shift = full.and_then(|full| numbers.pick(full.shifts.iter().map(|shift| shift.id)));
    let question = full.and_then(|full| numbers.pick(full.questions.iter().map(|question| question.id)));
    Some(match action {
        Action::PatchEvent => session.patch_event(event, event_patch(numbers, now)).await.map(drop),
        Action::Publish => session.publish_event(event).await.map(drop),
        Action::Unpublish => session.unpublish_event(event).await.map(drop),
        Action::Duplicate => session.duplicate_event(event, day(numbers, now)).await.map(drop),
        Action::CancelEvent => {
            let reason = "Storm".parse().unwrap();
            session.cancel_event(event, Cancellation::new().reason(reason)).await.map(drop)
        }
        Action::DeleteEvent => session.delete_event(event).await,
        Action::AddShifts => {
            let count = [1, 2, 3, 0][usize::from(numbers.below(4))];
            let shifts = (0..count).map(|_| new_shift(numbers)).collect();
            session.add_shifts(event, shifts).await.map(drop)
        }
        Action::PatchShift => session.patch_shift(shift?, shift_patch(numbers)).await.map(drop),
        Action::DeleteShift => {
            let delete = DeleteShift::new();
            let delete = if numbers.below(2) == 0 { delete.cancel_signups() } else { delete };
            session.delete_shift(shift?, delete).await
        }
        Action::AddQuestion => session.add_question(event, new_question(numbers)).await.map(drop),
        Action::PatchQuestion => session.patch_question(question?, question_patch(numbers)).await.map(drop),
        _ => session.delete_question(question?).await,
    })
}

async fn write_webhook(
    session: &Session,
    action: Action,
    numbers: &mut Numbers<'_>,
    seen: &Owned,
) -> Option<Result<()>> {
    if action == Action::Redeliver {
        let delivery = *numbers.pick(seen.deliveries.keys().rev())?;
        return Some(session.redeliver(delivery).await.map(drop));
    }
    let webhook = *numbers.pick(seen.webhooks.keys().rev())?;
    Some(match action {
        Action::PatchWebhook => session.patch_webhook(webhook, webhook_patch(numbers)).await.map(drop),
        Action::RotateSecret => session.rotate_secret(webhook).await.map(drop),
        Action::TestWebhook => session.test_webhook(webhook).await.map(drop),
        _ => session.delete_webhook(webhook).await,
    })
}
