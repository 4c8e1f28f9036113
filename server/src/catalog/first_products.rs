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
            "A cedar pencil for first drafts and last-minute ideas.",
            "香柏木铅笔，写初稿，也写灵光一现。",
        ],
        price_fen: 3,
        stock: 100_000,
    },
    FirstProduct {
        sku: "SKU-2",
        names: ["Notebook", "笔记本"],
        descriptions: [
            "Dotted pages, lies flat, fits a coat pocket.",
            "点阵内页，可平摊，放得进大衣口袋。",
        ],
        price_fen: 880,
        stock: 5_000,
    },
    FirstProduct {
        sku: "SKU-3",
        names: ["Tin of green tea", "龙井绿茶（罐装）"],
        descriptions: [
            "Spring-picked Longjing that stays fresh in its tin.",
            "春采龙井，罐装密封，茶香持久。",
        ],
        price_fen: 1_990,
        stock: 2_000,
    },
    FirstProduct {
        sku: "SKU-199",
        names: ["Wireless headphones", "无线耳机"],
        descriptions: ["Thirty hours of sound on one charge.", "充电一次，畅听三十小时。"],
        price_fen: 19_900,
        stock: 1_000,
    },
    FirstProduct {
        sku: "SKU-10",
        names: ["Limited-edition mug", "限量马克杯"],
        descriptions: ["Ten were made. No more will follow.", "仅制十只，售完不再生产。"],
        price_fen: 2_900,
        stock: 10,
    },
    FirstProduct {
        sku: "SKU-50",
        names: ["Desk lamp", "台灯"],
        descriptions: ["Warm light exactly where you read.", "暖光柔和，照亮您读书的地方。"],
        price_fen: 5_000,
        stock: 800,
    },
    FirstProduct {
        sku: "SKU-68",
        names: ["Tote bag", "帆布袋"],
        descriptions: [
            "Sturdy cotton that carries a week's groceries.",
            "厚实棉布，装得下一周的菜。",
        ],
        price_fen: 6_800,
        stock: 600,
    },
    FirstProduct {
        sku: "SKU-128",
        names: ["Mechanical keyboard", "机械键盘"],
        descriptions: ["Quiet keys. Each press counts once.", "静音按键，每一下只算一次。"],
        price_fen: 12_800,
        stock: 300,
    },
];
