//! The eight products of a new shop.

/// A product to begin with.
pub struct FirstProduct {
    pub sku: &'static str,
    pub names: [&'static str; 2],
    pub descriptions: [&'static str; 2],
    pub price_fen: i64,
    pub stock: i64,
}

pub const FIRST_PRODUCTS: [FirstProduct; 8] = [
    FirstProduct {
        sku: "SKU-1",
        names: ["Pencil", "铅笔"],
        descriptions: [
            "One honest pencil, at a price that any rounding would spoil.",
            "一支实在的铅笔，价格容不得半点舍入误差。",
        ],
        price_fen: 3,
        stock: 100_000,
    },
    FirstProduct {
        sku: "SKU-2",
        names: ["Notebook", "笔记本"],
        descriptions: ["Ninety-six dotted pages that lie flat.", "96 页点阵纸，可完全摊平。"],
        price_fen: 880,
        stock: 5_000,
    },
    FirstProduct {
        sku: "SKU-3",
        names: ["Jasmine tea", "茉莉花茶"],
        descriptions: ["Green tea scented seven times, in a tin.", "七窨茉莉绿茶，罐装。"],
        price_fen: 1_990,
        stock: 2_000,
    },
    FirstProduct {
        sku: "SKU-199",
        names: ["Wireless headphones", "无线耳机"],
        descriptions: ["Forty hours of quiet on one charge.", "一次充电，安静四十小时。"],
        price_fen: 19_900,
        stock: 1_000,
    },
    FirstProduct {
        sku: "SKU-10",
        names: ["Anniversary mug", "周年纪念杯"],
        descriptions: [
            "Ten were made. When they are gone, they are gone.",
            "仅制十只，售完即止。",
        ],
        price_fen: 2_900,
        stock: 10,
    },
    FirstProduct {
        sku: "SKU-50",
        names: ["Desk lamp", "台灯"],
        descriptions: ["Warm light that dims without a flicker.", "暖光无频闪，亮度可调。"],
        price_fen: 5_000,
        stock: 800,
    },
    FirstProduct {
        sku: "SKU-68",
        names: ["Tote bag", "帆布袋"],
        descriptions: ["Heavy canvas with a pocket for keys.", "厚实帆布，内有钥匙袋。"],
        price_fen: 6_800,
        stock: 600,
    },
    FirstProduct {
        sku: "SKU-128",
        names: ["Mechanical keyboard", "机械键盘"],
        descriptions: [
            "Quiet switches; a double click costs nothing extra.",
            "静音轴体，双击也不会多下单。",
        ],
        price_fen: 12_800,
        stock: 300,
    },
];
