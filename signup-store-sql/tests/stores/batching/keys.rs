//! Requests whose keys conflict.

use futures_util::future::join_all;

use super::harness::{Access, Gate, Keys, limits, submit_with, until};
use crate::batch::Limits;

use Access::{Commute, Read, Write};

/// Runs the requests to their end and returns the batches.
async fn batches(works: usize, requests: impl IntoIterator<Item = Keys>) -> Vec<Vec<usize>> {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), works);
    let answers = submit_with(&batcher, requests.into_iter().enumerate()).await;
    gate.open.add_permits(99);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    gate.batches()
}

#[tokio::test]
async fn requests_that_conflict_share_no_batch_and_keep_their_order() {
    let requests = [vec![], vec![(1, Write)], vec![(1, Write)], vec![(2, Write)], vec![(1, Commute)]];
    assert_eq!(batches(1, requests).await, [vec![0], vec![1, 3], vec![2], vec![4]]);
}

#[tokio::test]
async fn requests_with_the_same_shared_access_share_a_batch() {
    let requests = [vec![], vec![(1, Commute)], vec![(1, Commute), (2, Write)], vec![(1, Commute)]];
    assert_eq!(batches(1, requests).await, [vec![0], vec![1, 2, 3]]);
}

#[tokio::test]
async fn a_request_does_not_overtake_an_older_one_that_was_skipped() {
    // The third conflicts with the second alone, which has to wait for the first.
    let requests = [vec![(1, Write)], vec![(1, Write), (2, Write)], vec![(2, Write)]];
    assert_eq!(batches(2, requests).await, [[0], [1], [2]]);
}

#[tokio::test]
async fn shared_requests_do_not_overtake_an_exclusive_one() {
    let requests = [vec![(1, Commute)], vec![(1, Write)], vec![(1, Commute)], vec![(1, Commute)]];
    assert_eq!(batches(2, requests).await, [vec![0], vec![1], vec![2, 3]]);
}

#[tokio::test]
async fn requests_that_do_not_conflict_run_on_two_works_at_the_same_time() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 2);
    let answers = submit_with(&batcher, [(0, vec![(1, Write)]), (1, vec![(2, Write)])]).await;
    until(|| gate.batches().len() == 2).await;
    gate.open.add_permits(2);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
}

#[tokio::test]
async fn requests_that_conflict_do_not_run_at_the_same_time() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 2);
    let requests = [vec![(1, Write)], vec![(1, Write)], vec![(2, Write)]];
    let answers = submit_with(&batcher, requests.into_iter().enumerate()).await;
    until(|| gate.batches().len() == 2).await;
    assert_eq!(gate.batches(), [[0], [2]], "a work is idle for no request that could run");
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    assert_eq!(gate.batches(), [[0], [2], [1]]);
}

/// A key is held until the last of the batches that share it has ended.
#[tokio::test]
async fn an_exclusive_request_waits_for_all_batches_that_share_its_key() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 2);
    let requests = [vec![(1, Read)], vec![(1, Read)], vec![(1, Write)]];
    let mut answers = submit_with(&batcher, requests.into_iter().enumerate()).await;
    until(|| gate.batches().len() == 2).await;
    gate.open.add_permits(1);
    answers.remove(0).await.unwrap();
    assert_eq!(gate.batches(), [[0], [1]]);
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
}

/// Two transactions that add to one total would wait for each other's lock.
#[tokio::test]
async fn requests_that_commute_share_a_batch_and_never_run_beside_each_other() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 2);
    let requests = [vec![(1, Commute)], vec![(1, Commute)], vec![(1, Commute)], vec![(2, Write)]];
    let answers = submit_with(&batcher, requests.into_iter().enumerate()).await;
    until(|| gate.batches().len() == 2).await;
    assert_eq!(gate.batches(), [[0], [3]], "the key of the first batch is held");
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
    assert_eq!(gate.batches()[2..], [[1, 2]]);
}

#[tokio::test]
async fn the_end_of_a_batch_gives_work_to_every_idle_work() {
    let gate = Gate::new();
    let batcher = gate.batcher(Limits { batch: 2, ..limits() }, 2);
    let held_up = |key| vec![(0, Write), (key, Write)];
    let mut requests = vec![vec![(0, Write), (1, Write), (2, Write), (3, Write)]];
    requests.extend([1, 2, 3].map(|key| vec![(key, Write)]));
    requests.push(held_up(4));
    let answers = submit_with(&batcher, requests.into_iter().enumerate()).await;
    until(|| gate.batches().len() == 1).await;
    gate.open.add_permits(1);
    until(|| gate.batches().len() == 3).await;
    assert_eq!(gate.batches(), [vec![0], vec![1, 2], vec![3, 4]]);
    gate.open.add_permits(9);
    for answer in join_all(answers).await {
        answer.unwrap();
    }
}

#[tokio::test]
async fn a_request_runs_as_soon_as_the_caller_of_the_one_that_held_it_up_goes_away() {
    let gate = Gate::new();
    let batcher = gate.batcher(limits(), 2);
    let requests = [vec![(1, Write)], vec![(1, Write), (2, Write)], vec![(2, Write)]];
    let mut answers = submit_with(&batcher, requests.into_iter().enumerate()).await;
    until(|| gate.batches().len() == 1).await;
    drop(answers.remove(1));
    until(|| gate.batches().len() == 2).await;
    assert_eq!(gate.batches(), [[0], [2]]);
}

#[tokio::test]
async fn requests_behind_a_stuck_batch_hold_up_no_other_request() {
    for access in [Write, Commute] {
        let gate = Gate::new();
        let batcher = gate.batcher(Limits { waiting: 6000, ..limits() }, 2);
        let _stuck = submit_with(&batcher, (0..5001).map(|number| (number, vec![(1, access)]))).await;
        let _other = submit_with(&batcher, [(5001, vec![(2, Write)])]).await;
        until(|| gate.batches().len() == 2).await;
        assert_eq!(gate.batches(), [[0], [5001]]);
    }
}
