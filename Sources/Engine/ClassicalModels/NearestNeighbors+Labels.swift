import ModelFormat

extension NearestNeighbors {
  /// Returns the distinct labels of a model, as ``labels`` holds them. Nil if the model has neither labels nor a
  /// default label, or if the default label's type differs from the labels' type.
  public static func labels(of message: Spec.KNearestNeighborsClassifier) -> Labels? {
    (try? readLabels(message))?.0
  }

  static func readLabels(
    _ message: Spec.KNearestNeighborsClassifier
  ) throws -> (Labels, [Int], Int?) {
    switch (message.classLabels, message.defaultClassLabel) {
    case (.stringClassLabels(let list)?, .defaultStringLabel(let other)?):
      let (unique, positions, known) = distinct(list.vector, other)
      return (.strings(unique), positions, known)
    case (.stringClassLabels(let list)?, nil):
      let (unique, positions, _) = distinct(list.vector, nil)
      return (.strings(unique), positions, nil)
    case (.int64ClassLabels(let list)?, .defaultInt64Label(let other)?):
      let (unique, positions, known) = distinct(list.vector, other)
      return (.integers(unique), positions, known)
    case (.int64ClassLabels(let list)?, nil):
      let (unique, positions, _) = distinct(list.vector, nil)
      return (.integers(unique), positions, nil)
    case (nil, .defaultStringLabel(let other)?):
      return (.strings([other]), [], 0)
    case (nil, .defaultInt64Label(let other)?):
      return (.integers([other]), [], 0)
    case (nil, nil):
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has no class labels. The model may be damaged.")
    case (_?, _?):
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier's default label has another type than its class labels.")
    }
  }

  /// Returns three things: the distinct labels; for each label in `labels`, its index among them; and the index of the
  /// default label `other` among them, which is nil if no example has this label.
  private static func distinct<Label: Hashable>(
    _ labels: [Label], _ other: Label?
  ) -> ([Label], [Int], Int?) {
    var unique: [Label] = []
    var known: [Label: Int] = [:]
    let positions: [Int] = labels.map { label in
      if let position = known[label] { return position }
      known[label] = unique.count
      unique.append(label)
      return unique.count - 1
    }
    guard let other, labels.isEmpty else { return (unique, positions, other.flatMap { known[$0] }) }
    return ([other], [], 0)
  }
}
