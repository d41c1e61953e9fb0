//! The batcher: what it promises to its callers and to its works.
//!
//! The batcher is private and uses nothing else of the crate. So this program compiles the batcher's source itself, as
//! the module [`batch`](crate::batch).

mod harness;
mod keys;
mod stress;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use signup_core::{StoreError, StoreErrorKind};
use tokio::time::Instant;

use crate::batch::{Limits, Next};
use harness::{Gate, PANIC, assert_unavailable, begin, limits, submit_all, until};

#[tokio::test]
async fn requests_that_arrive_during_a_batch_share_the_next_one_up_to_the_limit() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 1);
    let answers = submit_all(&batcher, 0..1 + 2 * 8 + 3).await;
    gate.open.add_permits(9);
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.await.unwrap(), number);
    }
    assert_eq!(gate.sizes(), [1, 8, 8, 3]);
    assert_eq!(gate.requests(), (0..20).collect::<Vec<_>>(), "in the order of their arrival");
}

#[tokio::test]
async fn requests_that_arrive_while_a_batch_gathers_share_the_batch() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { yields: 10, ..limits() }, 2);
    let answers = submit_all(&batcher, 0..5).await;
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    assert_eq!(gate.sizes(), [5], "the second work does not start a batch of its own");
}

#[tokio::test]
async fn a_caller_that_finds_the_queue_full_waits_for_a_place() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { waiting: 2, ..limits() }, 1);
    let answers = submit_all(&batcher, 0..5).await;
    gate.open.add_permits(1);
    until(|| gate.sizes().len() == 2).await;
    assert_eq!(gate.sizes(), [1, 2], "the others have no place");
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    assert_eq!(gate.requests(), [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn a_caller_that_waits_too_long_for_a_place_fails_as_unavailable() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { waiting: 1, max_wait: Duration::from_millis(1), ..limits() }, 1);
    let mut answers = submit_all(&batcher, 0..3).await;
    assert_unavailable(answers.pop().unwrap().await);
}

#[tokio::test]
async fn a_caller_that_goes_away_makes_room_in_the_queue() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { waiting: 2, ..limits() }, 1);
    let mut answers = submit_all(&batcher, 0..4).await;
    drop(answers.remove(1));
    // The last request takes the place when its caller is polled.
    begin(&mut answers);
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    assert_eq!(gate.batches(), [vec![0], vec![2, 3]]);
}

#[tokio::test]
async fn a_request_whose_deadline_passes_fails_and_does_not_run() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { max_wait: Duration::from_millis(1), ..limits() }, 1);
    for answer in join_all(submit_all(&batcher, 0..5).await).await {
        assert_unavailable(answer);
    }
    gate.open.add_permits(9);
    batcher.close().await;
    assert_eq!(gate.batches(), [[0]], "only the request that a batch had taken");
}

#[tokio::test]
async fn a_request_whose_deadline_passes_unnoticed_does_not_run() {
    let gate = Gate::new();
    let max_wait = Duration::from_millis(1);
    let batcher = gate.batcher(Limits { max_wait, ..limits() }, 1);
    // These requests are not polled before the deadline has passed.
    let answers = submit_all(&batcher, 0..3).await;
    let deadline = Instant::now() + max_wait;
    until(|| deadline < Instant::now()).await;
    gate.open.add_permits(9);
    batcher.close().await;
    assert_eq!(gate.batches(), [[0]]);
    for answer in answers.into_iter().skip(1) {
        let error = answer.await.unwrap_err();
        assert_eq!(harness::cause(&error), "the deadline passed before the answer");
    }
}

#[tokio::test]
async fn a_request_whose_caller_goes_away_does_not_run() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 1);
    let mut answers = submit_all(&batcher, 0..5).await;
    drop(answers.drain(2..4));
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    assert_eq!(gate.batches(), [vec![0], vec![1, 4]]);
}

#[tokio::test]
async fn a_request_that_runs_is_abandoned_and_goes_on_when_its_caller_goes_away() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 1);
    let answers = submit_all(&batcher, 0..1).await;
    until(|| gate.sizes() == [1]).await;
    drop(answers);
    gate.open.add_permits(1);
    batcher.close().await;
    assert_eq!(gate.abandoned(), [0]);
}

#[tokio::test]
async fn a_batch_that_panics_fails_its_callers_and_no_others() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 1);
    let answers = submit_all(&batcher, [PANIC, 1, 2]).await;
    gate.open.add_permits(9);
    let mut answers = join_all(answers).await.into_iter();
    assert_unavailable(answers.next().unwrap());
    for answer in answers {
        answer.unwrap();
    }
    assert_eq!(batcher.submit(vec![], 3).await.unwrap(), 3);
}

/// Its state may be needed after the batcher: a work has the only connection of a store.
#[tokio::test]
async fn a_work_that_panics_is_kept() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 1);
    gate.open.add_permits(9);
    assert_unavailable(batcher.submit(vec![], PANIC).await);
    assert_eq!(batcher.close().await.len(), 1);
}

#[test]
fn a_batch_goes_down_with_its_runtime_and_the_batcher_goes_on() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { batch: 1, waiting: 2000, ..limits() }, 1);
    let (first, second) = (runtime(), runtime());
    // Every request is a batch, and these all belong to the runtime that ends.
    let lost = first.block_on(async { submit_all(&batcher, 0..1500).await });
    let kept = second.block_on(async { submit_all(&batcher, 1500..1501).await });
    drop(first);
    gate.open.add_permits(9);
    second.block_on(async {
        for answer in join_all(kept).await {
            answer.unwrap();
        }
        assert_eq!(batcher.submit(vec![], 1501).await.unwrap(), 1501);
        // Their timers are gone, too, which polling them would notice.
        drop(AssertUnwindSafe(join_all(lost)).catch_unwind().now_or_never());
    });
    assert_eq!(gate.requests(), [0, 1500, 1501], "only the first of the lost requests had begun");
}

#[tokio::test]
async fn closing_finishes_what_is_queued_and_returns_the_works() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 2);
    let answers = submit_all(&batcher, 0..5).await;
    let mut close = [Box::pin(batcher.close())];
    begin(&mut close);
    gate.open.add_permits(9);
    let [close] = close;
    assert_eq!(close.await.len(), 2);
    for answer in answers {
        answer.now_or_never().unwrap().unwrap();
    }
    assert_eq!(batcher.close().await.len(), 0, "they were returned already");
}

#[tokio::test]
async fn a_closed_batcher_takes_no_more_requests() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { waiting: 1, ..limits() }, 1);
    batcher.check().unwrap();
    let mut answers = submit_all(&batcher, 0..3).await;
    let mut close = [Box::pin(batcher.close())];
    begin(&mut close);
    assert_unavailable(answers.pop().unwrap().await);
    assert_unavailable(batcher.submit(vec![], 3).await);
    assert!(batcher.check().unwrap_err().is_unavailable());
}

#[tokio::test]
async fn a_work_that_stops_fails_what_is_queued_and_takes_no_more() {
    let gate = Gate::new().then(|| Next { stop: true, ..Next::default() });
    let batcher = gate.batcher(limits(), 1);
    let answers = submit_all(&batcher, 0..3).await;
    gate.open.add_permits(1);
    until(|| batcher.check().is_err()).await;
    let mut answers = join_all(answers).await.into_iter();
    answers.next().unwrap().unwrap();
    answers.for_each(assert_unavailable);
    assert_unavailable(batcher.submit(vec![], 3).await);
    assert!(batcher.check().unwrap_err().is_unavailable());
    assert_eq!(batcher.close().await.len(), 1);
}

#[tokio::test]
async fn a_failure_for_all_fails_what_is_queued_with_an_error_of_its_kind() {
    let unavailable = || Next {
        fail_waiting: Some(Arc::new(StoreError::unavailable("connecting", "refused"))),
        ..Next::default()
    };
    let failed = || Next {
        fail_waiting: Some(Arc::new(StoreError::failed("connecting", "refused"))),
        ..Next::default()
    };
    let cases: [(fn() -> Next, _); 2] =
        [(unavailable, StoreErrorKind::Unavailable), (failed, StoreErrorKind::Failed)];
    for (next, kind) in cases {
        let gate = Gate::new().then(next);
        let batcher = gate.batcher(limits(), 1);
        let answers = submit_all(&batcher, 0..3).await;
        gate.open.add_permits(9);
        let mut answers = join_all(answers).await.into_iter();
        answers.next().unwrap().unwrap();
        for answer in answers {
            let error = answer.unwrap_err();
            assert_eq!(error.kind(), kind);
            assert_eq!(harness::cause(&error), "the store failed: connecting");
        }
        assert_eq!(batcher.submit(vec![], 3).await.unwrap(), 3, "later requests are taken");
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_caller_can_wait_until_a_batcher_stops() {
    let gate = Gate::new().then(|| Next { stop: true, ..Next::default() });
    let batcher = gate.batcher(limits(), 1);
    let answers = submit_all(&batcher, 0..1).await;
    let mut stopped = [Box::pin(batcher.stopped())];
    begin(&mut stopped);
    gate.open.add_permits(1);
    let [stopped] = stopped;
    stopped.await;
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    batcher.stopped().await;
}
