//! Mails to people who sign in or are invited: which are sent, and which are dropped.

use std::net::{IpAddr, Ipv4Addr};

use signup_core::*;

use crate::people::code;
use crate::scene::{Scene, address};

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

async fn ask_for_code(scene: &Scene, name: &str) {
    let people = scene.service.people();
    let allowance = people.request_code(&address(name), &Secret::generate(), CLIENT).await.unwrap();
    assert!(allowance.is_allowed);
}

/// Claims all notices that are due. Returns the recipients of their mails. No notice is left that is due.
async fn claim_all(scene: &Scene) -> Vec<String> {
    let (outbox, mut mails) = (scene.service.outbox(), vec![]);
    for notice in outbox.due(99).await.unwrap() {
        if let Some(mail) = outbox.claim(&notice).await.unwrap() {
            assert_eq!(
                scene.service.admin().recipient(&notice).await.unwrap().as_ref(),
                Some(mail.recipient())
            );
            assert!(outbox.report_sent(&mail).await.unwrap());
            mails.push(mail.recipient().to_string());
        }
    }
    assert_eq!(scene.service.admin().count_notices().await.unwrap(), NoticeCounts::default());
    mails
}

#[tokio::test]
async fn a_code_is_mailed_only_to_a_person_and_only_while_it_works() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    claim_all(&scene).await;
    for name in ["ada", "mallory"] {
        ask_for_code(&scene, name).await;
    }
    assert_eq!(
        scene.service.admin().count_notices().await.unwrap().queued,
        2,
        "known or unknown, one is queued"
    );
    assert_eq!(claim_all(&scene).await, ["ada@example.org"]);
    for (seconds, mails) in [(599, &["ada@example.org"][..]), (600, &[])] {
        ask_for_code(&scene, "ada").await;
        scene.clock.advance(seconds);
        assert_eq!(claim_all(&scene).await, mails, "after {seconds} s");
    }
    ask_for_code(&scene, "ada").await;
    let organization = scene.session.organization_id();
    scene.service.admin().remove_person(organization, &address("ada")).await.unwrap();
    assert_eq!(claim_all(&scene).await, [""; 0], "the last membership has ended");
}

#[tokio::test]
async fn a_code_is_mailed_to_the_spelling_that_is_stored() {
    let scene = Scene::start().await;
    let new = NewInvitation::new("Zoe@müller.example".parse().unwrap(), "Zoë".parse().unwrap(), Role::Admin);
    let invited = scene.service.admin().invite_person(scene.session.organization_id(), new).await.unwrap();
    let accepted = Acceptance::Member { name: None };
    scene.service.people().accept(&invited.unwrap().1, None, accepted).await.unwrap();
    claim_all(&scene).await;
    let spelling = "ZOE@xn--mller-kva.example".parse().unwrap();
    let client = [192, 0, 2, 7].into();
    scene.service.people().request_code(&spelling, &Secret::generate(), client).await.unwrap();
    assert_eq!(claim_all(&scene).await, ["Zoe@müller.example"]);
}

#[tokio::test]
async fn a_code_that_was_replaced_used_or_spent_is_not_mailed() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    claim_all(&scene).await;
    let (people, browser) = (scene.service.people(), Secret::generate());
    code(&scene.service, &browser, "ada").await;
    let newest = code(&scene.service, &browser, "ada").await;
    let outbox = scene.service.outbox();
    let mut mailed = vec![];
    for notice in outbox.due(9).await.unwrap() {
        let Some(mail) = outbox.claim(&notice).await.unwrap() else { continue };
        let MailContent::SignInCode { code, .. } = &mail.content else { panic!("{mail:?}") };
        mailed.push(code.clone());
        outbox.report_sent(&mail).await.unwrap();
    }
    assert_eq!(mailed, [newest], "the first one was replaced");
    let right = code(&scene.service, &browser, "ada").await;
    people.sign_in(&browser, &right, None).await.unwrap();
    assert_eq!(claim_all(&scene).await, [""; 0], "used");
    code(&scene.service, &browser, "ada").await;
    for _ in 0..SignInCode::MAX_TRIES {
        people.sign_in(&browser, &"aaaaaaaa".parse().unwrap(), None).await.unwrap_err();
    }
    assert_eq!(claim_all(&scene).await, [""; 0], "no try is left");
}

#[tokio::test]
async fn a_code_that_could_not_be_sent_is_deleted_with_its_reason_returned() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    claim_all(&scene).await;
    ask_for_code(&scene, "ada").await;
    let outbox = scene.service.outbox();
    let mail = outbox.claim(&outbox.due(1).await.unwrap()[0]).await.unwrap().unwrap();
    let failed = outbox.report_failed(&mail, MailFailure::Permanent, "550 no such user").await.unwrap();
    assert_eq!(failed.unwrap().reason(), Some("550 no such user"));
    assert_eq!(scene.service.admin().count_notices().await.unwrap(), NoticeCounts::default());
}

#[tokio::test]
async fn an_invitation_is_mailed_only_while_its_link_works() {
    let scene = Scene::start().await;
    let (olga, _) = scene.member("olga", Role::Owner).await;
    let (adam, _) = scene.member("adam", Role::Admin).await;
    claim_all(&scene).await;
    let (owner, admin) = (olga.session("riverside").unwrap(), adam.session("riverside").unwrap());
    let invite = async || {
        let new = NewInvitation::new(address("bo"), "Bo".parse().unwrap(), Role::Organizer);
        admin.invite(new).await.unwrap().unwrap().0
    };
    invite().await;
    assert_eq!(claim_all(&scene).await, ["bo@example.org"]);
    invite().await;
    invite().await;
    assert_eq!(claim_all(&scene).await, ["bo@example.org"], "only the new link works");
    let withdrawn = invite().await;
    owner.withdraw_invitation(withdrawn.id).await.unwrap();
    assert_eq!(claim_all(&scene).await, [""; 0], "withdrawn");
    invite().await;
    owner.change_role(adam.person().id, Role::Organizer).await.unwrap();
    assert_eq!(claim_all(&scene).await, [""; 0], "the inviter may no longer invite");
    owner.change_role(adam.person().id, Role::Admin).await.unwrap();
    invite().await;
    scene.clock.advance(Invitation::LIFETIME.as_secs());
    assert_eq!(claim_all(&scene).await, [""; 0], "expired");
}
