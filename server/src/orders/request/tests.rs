use super::*;
use proptest::prelude::*;

const BODY: &str = r#"{"items":[{"sku":"SKU-1","qty":1}],"name":"张三","phone":"13800000000","address":"北京市1号"}"#;

fn digest_of_json(body: &str) -> Digest {
    OrderRequest::from_json(body.as_bytes()).unwrap().0.digest().unwrap()
}

fn fields_of(error: RequestError) -> Vec<String> {
    match error {
        RequestError::Fields(errors) => errors.into_iter().map(|error| error.field).collect(),
        RequestError::Malformed(text) => panic!("malformed: {text}"),
    }
}

fn with_quantity(quantity: &str) -> String {
    BODY.replace("\"qty\":1", &format!("\"qty\":{quantity}"))
}

#[test]
fn field_order_white_space_and_escapes_do_not_count() {
    let other = r#"{ "address" : "\u5317\u4eac\u5e021\u53f7", "phone":"13800000000",
        "name" : "\u5f20\u4e09", "items" : [ { "qty" : 1, "sku" : "SKU-1" } ], "note": null, "coupon": "" }"#;
    assert_eq!(digest_of_json(BODY), digest_of_json(other));
}

#[test]
fn a_form_and_a_json_body_can_mean_the_same() {
    let form = "submit_token=x&sku=SKU-1&unit_price_fen=3&qty=1&name=%E5%BC%A0%E4%B8%89&phone=13800000000\
                &address=%E5%8C%97%E4%BA%AC%E5%B8%821%E5%8F%B7&coupon=&note=";
    let (request, expectation) = OrderRequest::from_form(&FormFields::parse(form.as_bytes()).unwrap()).unwrap();
    assert_eq!(request.digest().unwrap(), digest_of_json(BODY));
    assert_eq!(expectation.unit_prices_fen["SKU-1"], 3);
}

#[test]
fn composed_and_decomposed_letters_mean_the_same_and_are_kept_as_typed() {
    let (composed, decomposed) = (
        BODY.replace("张三", "Nguyễn"),
        BODY.replace("张三", "Nguye\u{302}\u{303}n"),
    );
    assert_eq!(digest_of_json(&composed), digest_of_json(&decomposed));
    assert_eq!(
        OrderRequest::from_json(decomposed.as_bytes()).unwrap().0.name,
        "Nguye\u{302}\u{303}n"
    );
}

#[test]
fn a_changed_field_is_another_meaning() {
    for other in [
        with_quantity("2"),
        BODY.replace("张三", "李四"),
        BODY.replace("1号", "2号"),
        BODY.replace("SKU-1", "SKU-2"),
    ] {
        assert_ne!(digest_of_json(BODY), digest_of_json(&other), "{other}");
    }
    let with_note = BODY.replace("\"name\"", "\"note\":\"ring twice\",\"name\"");
    assert_ne!(digest_of_json(BODY), digest_of_json(&with_note));
}

#[test]
fn an_expected_total_is_no_part_of_the_meaning() {
    let expecting = BODY.replace("\"name\"", "\"expected_total_fen\":3,\"name\"");
    assert_eq!(digest_of_json(BODY), digest_of_json(&expecting));
}

#[test]
fn a_quantity_is_a_whole_number_from_1_to_99_or_refused_with_its_field() {
    let huge = format!("1{}", "0".repeat(400));
    for quantity in [
        "-1",
        "0",
        "1.5",
        "1.4",
        "1.0",
        "1e0",
        "\"1\"",
        "\"1e3\"",
        "\" 1\"",
        "null",
        "true",
        "100",
        "2147483648",
        "9223372036854775808",
        "[1]",
        "{}",
    ] {
        let error = OrderRequest::from_json(with_quantity(quantity).as_bytes()).unwrap_err();
        assert_eq!(fields_of(error), ["items[0].qty"], "{quantity}");
    }
    for quantity in ["01", huge.as_str()] {
        let error = OrderRequest::from_json(with_quantity(quantity).as_bytes()).unwrap_err();
        assert!(matches!(error, RequestError::Malformed(_)), "{quantity}");
    }
}

#[test]
fn a_negative_line_is_refused_even_beside_a_good_one() {
    let body = BODY.replace("[{", r#"[{"sku":"SKU-2","qty":-5},{"#);
    assert_eq!(
        fields_of(OrderRequest::from_json(body.as_bytes()).unwrap_err()),
        ["items[0].qty"]
    );
}

#[test]
fn a_key_given_twice_or_unknown_cannot_be_read() {
    for body in [
        with_quantity("1,\"qty\":-1"),
        BODY.replace("\"name\"", "\"nmae\""),
        r#"[[["SKU-1",1]],"A","13800000000","x",null,null,null]"#.to_owned(),
        BODY.replace(r#"{"sku":"SKU-1","qty":1}"#, r#"["SKU-1",1]"#),
        String::new(),
        "[]".to_owned(),
        "null".to_owned(),
    ] {
        assert!(
            matches!(
                OrderRequest::from_json(body.as_bytes()),
                Err(RequestError::Malformed(_))
            ),
            "{body}"
        );
    }
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(matches!(
        OrderRequest::from_json(deep.as_bytes()),
        Err(RequestError::Malformed(_))
    ));
}

#[test]
fn every_field_that_needs_correcting_is_named() {
    let body = r#"{"items":[{"sku":"sku 1","qty":0}],"name":" ","phone":"12","address":7,"note":"a\u0000b","coupon":"\u202Ex"}"#;
    let fields = fields_of(OrderRequest::from_json(body.as_bytes()).unwrap_err());
    assert_eq!(
        fields,
        [
            "items[0].sku",
            "items[0].qty",
            "coupon",
            "name",
            "phone",
            "address",
            "note"
        ]
    );
    assert_eq!(
        fields_of(OrderRequest::from_json(b"{}").unwrap_err()),
        ["items", "name", "phone", "address"]
    );
}

#[test]
fn more_lines_than_the_maximum_are_refused() {
    let items = vec![r#"{"sku":"SKU-1","qty":1}"#; 1_000].join(",");
    let body = format!(r#"{{"items":[{items}],"name":"a","phone":"13800000000","address":"b"}}"#);
    assert_eq!(
        fields_of(OrderRequest::from_json(body.as_bytes()).unwrap_err()),
        ["items"]
    );
}

#[test]
fn ordinary_names_are_taken_as_they_are() {
    for name in [
        "O'Brien",
        "Álvaro Gómez",
        "𠮷野家",
        "🤞🏼",
        "李",
        "null",
        "l'Atlantique \\\" \\\\",
    ] {
        OrderRequest::from_json(BODY.replace("张三", name).as_bytes()).unwrap();
    }
    let combining = format!("a{}", "\u{301}".repeat(10_000));
    assert_eq!(
        fields_of(OrderRequest::from_json(BODY.replace("张三", &combining).as_bytes()).unwrap_err()),
        ["name"]
    );
}

#[test]
fn a_form_with_a_field_twice_or_broken_bytes_cannot_be_read() {
    for form in [
        "name=a&name=b",
        "sku=SKU-1&qty=1&qty=2",
        "name=%FF",
        "sku=SKU-1",
        "submit_token=a&submit_token=b",
    ] {
        assert!(
            matches!(FormFields::parse(form.as_bytes()), Err(RequestError::Malformed(_))),
            "{form}"
        );
    }
}

proptest! {
    #[test]
    fn line_order_does_not_count_and_lines_of_a_product_are_added_up(
        lines in prop::collection::vec((0..6_u8, 1..10_i64), 1..9),
        seed in any::<u64>(),
    ) {
        let body = |lines: &[(u8, i64)]| {
            let items: Vec<_> = lines.iter().map(|(sku, qty)| format!(r#"{{"sku":"SKU-{sku}","qty":{qty}}}"#)).collect();
            format!(r#"{{"items":[{}],"name":"a","phone":"13800000000","address":"b"}}"#, items.join(","))
        };
        let mut shuffled = lines.clone();
        let shift = usize::try_from(seed % 9).unwrap() % shuffled.len();
        shuffled.rotate_left(shift);
        let mut summed = BTreeMap::new();
        for (sku, quantity) in &lines {
            *summed.entry(*sku).or_insert(0) += *quantity;
        }
        let summed: Vec<_> = summed.into_iter().collect();
        prop_assert_eq!(digest_of_json(&body(&lines)), digest_of_json(&body(&shuffled)));
        prop_assert_eq!(digest_of_json(&body(&lines)), digest_of_json(&body(&summed)));
    }

    #[test]
    fn no_body_makes_the_reader_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = OrderRequest::from_json(&body);
        if let Ok(fields) = FormFields::parse(&body) {
            let _ = OrderRequest::from_form(&fields);
        }
    }
}
