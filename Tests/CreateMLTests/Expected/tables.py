"""Writes tables.json: three tables and the accuracy of scikit-learn's models on them.

The tables come with scikit-learn: wine and breast cancer (UCI Machine Learning Repository, CC BY 4.0) and diabetes
(Efron et al., "Least Angle Regression", 2004). Every fourth row is a test row. Run it with scikit-learn 1.9.1:

    python3 tables.py
"""

import csv
import json
import pathlib

import numpy as np
import sklearn
from sklearn import datasets, ensemble, linear_model, metrics, preprocessing, svm, tree

FOLDER = pathlib.Path(__file__).parent
SEEDS = range(10)


def split(table):
    rows = np.arange(len(table.target))
    learn, judge = rows % 4 != 0, rows % 4 == 0
    return table.data[learn], table.target[learn], table.data[judge], table.target[judge]


def write(name, table):
    with open(FOLDER / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([word.replace(" ", "_") for word in table.feature_names] + ["target"])
        for row, target in zip(table.data, table.target):
            words = [repr(float(number)) for number in row]
            is_class = hasattr(table, "target_names")
            writer.writerow(words + [table.target_names[target] if is_class else repr(float(target))])


def accuracy(models, learn, target, judge, truth):
    """The mean accuracy of models that differ only in their seed."""
    return float(np.mean([metrics.accuracy_score(truth, m.fit(learn, target).predict(judge)) for m in models]))


def error(models, learn, target, judge, truth):
    """The mean of the root mean squared errors."""
    return float(
        np.mean([metrics.mean_squared_error(truth, m.fit(learn, target).predict(judge)) ** 0.5 for m in models])
    )


result = {"scikit-learn": sklearn.__version__}
for name, load in [("wine", datasets.load_wine), ("breast-cancer", datasets.load_breast_cancer)]:
    table = load()
    write(name, table)
    parts = split(table)
    scale = preprocessing.StandardScaler().fit(parts[0])
    scaled = (scale.transform(parts[0]), parts[1], scale.transform(parts[2]), parts[3])
    result[name] = {
        "boostedTree": accuracy(
            [
                ensemble.GradientBoostingClassifier(n_estimators=50, max_depth=3, learning_rate=0.3, random_state=s)
                for s in SEEDS
            ],
            *parts,
        ),
        "randomForest": accuracy(
            [ensemble.RandomForestClassifier(n_estimators=100, max_depth=10, random_state=s) for s in SEEDS], *parts
        ),
        # Of splits that are equally good, scikit-learn draws one. The worst of ten trees is what a tree must reach.
        "decisionTree": min(
            accuracy([tree.DecisionTreeClassifier(max_depth=4, random_state=s)], *parts) for s in SEEDS
        ),
        "logistic": accuracy([linear_model.LogisticRegression(C=1, max_iter=10000, tol=1e-10)], *scaled),
        "supportVectors": svm.SVC(kernel="linear", C=0.05, tol=1e-6).fit(scaled[0], scaled[1]).predict(scaled[2]).tolist(),
    }
table = datasets.load_diabetes(scaled=False)
write("diabetes", table)
parts = split(table)
scale = preprocessing.StandardScaler().fit(parts[0])
scaled = (scale.transform(parts[0]), parts[1], scale.transform(parts[2]), parts[3])
rows = len(parts[1])
ridge = linear_model.Ridge(alpha=0.01).fit(scaled[0], scaled[1])
lasso = linear_model.ElasticNet(alpha=200 / (2 * rows), l1_ratio=1, tol=1e-12, max_iter=100000).fit(scaled[0], scaled[1])
result["diabetes"] = {
    "boostedTree": error(
        [
            ensemble.GradientBoostingRegressor(n_estimators=50, max_depth=3, learning_rate=0.1, random_state=s)
            for s in SEEDS
        ],
        *parts,
    ),
    "randomForest": error(
        [ensemble.RandomForestRegressor(n_estimators=100, max_depth=10, max_features=0.33, random_state=s) for s in SEEDS],
        *parts,
    ),
    "decisionTree": error([tree.DecisionTreeRegressor(max_depth=3, random_state=s) for s in SEEDS], *parts),
    "linear": [float(number) for number in ridge.predict(scaled[2])],
    "lasso": [float(number) for number in lasso.predict(scaled[2])],
}
(FOLDER / "tables.json").write_text(json.dumps(result, indent=1) + "\n")
