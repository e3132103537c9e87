/// Counts the results of mutants by kind of seed.
struct Tally: CustomStringConvertible {
  private struct Row {
    var predicted = 0
    var refused = 0
    var slowest = 0
  }

  private var rows: [String: Row] = [:]
  private(set) var count = 0

  mutating func add(_ kind: String, _ verdict: Verdict, milliseconds: Int) {
    count += 1
    var row: Row = rows[kind] ?? Row()
    if verdict == .predicted { row.predicted += 1 } else { row.refused += 1 }
    row.slowest = max(row.slowest, milliseconds)
    rows[kind] = row
  }

  /// The totals: `158 kinds, 15432 predicted, 6568 refused`.
  var total: String {
    let predicted: Int = rows.values.reduce(0) { $0 + $1.predicted }
    let refused: Int = rows.values.reduce(0) { $0 + $1.refused }
    return "\(rows.count) kinds, \(predicted) predicted, \(refused) refused"
  }

  /// One line for each kind: `convolution: 80 predicted, 45 refused, slowest 12 ms`.
  var description: String {
    rows.sorted { $0.key < $1.key }.map { kind, row in
      "\(kind): \(row.predicted) predicted, \(row.refused) refused, slowest \(row.slowest) ms"
    }.joined(separator: "\n")
  }
}
