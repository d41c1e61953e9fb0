//! Email addresses of volunteers.

use crate::harness::Server;
use crate::pages::{Page, published};

#[tokio::test]
async fn an_address_that_cannot_receive_mail_is_refused() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let like = "Enter an email address like name@example.com";
    let ascii = "Enter an email address with only the letters a to z, digits and punctuation before the @";
    for (address, sentence) in
        [("a@1.2.3.4", like), ("a@ex_ample.org", like), ("mi\u{212A}e@example.org", ascii)]
    {
        let answer = page.sign_up(&server, &page.slot("Early"), "Ada", address).await;
        assert_eq!(answer.status, 422, "{address}");
        assert!(answer.text.contains(sentence), "{}", answer.text);
    }
    assert_eq!(page.filled(&server, "Early").await, 0);
}
