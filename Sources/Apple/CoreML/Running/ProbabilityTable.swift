import Foundation
import Platform

/// The probability of every class. Becomes a dictionary when somebody asks for one, which takes
/// longer than many a small network.
package final class ProbabilityTable: Sendable {
  private let labels: ClassLabels
  private let values: [Double]

  /// `@unchecked Sendable`: a dictionary of texts, whole numbers and `NSNumber`s, none of which
  /// ever changes.
  private struct Boxed: @unchecked Sendable {
    let dictionary: [AnyHashable: NSNumber]
  }

  private let made: Locked<Boxed?> = Locked(nil)

  init(labels: ClassLabels, values: [Double]) {
    self.labels = labels
    self.values = values
  }

  /// The classes as texts with their probabilities, in the order of the model.
  package var entries: [(label: String, probability: Double)] {
    switch labels {
    case .strings(let labels): zip(labels, values).map { ($0, $1) }
    case .integers(let labels): zip(labels, values).map { (String($0), $1) }
    }
  }

  /// The probabilities by class.
  var dictionary: [AnyHashable: NSNumber] {
    let boxed: Boxed = made.withLock { known in
      if let known { return known }
      let fresh = Boxed(dictionary: makeDictionary())
      known = fresh
      return fresh
    }
    return boxed.dictionary
  }

  private func makeDictionary() -> [AnyHashable: NSNumber] {
    var result: [AnyHashable: NSNumber] = [:]
    result.reserveCapacity(values.count)
    switch labels {
    case .strings(let labels):
      for (label, value) in zip(labels, values) { result[label] = NSNumber(value: value) }
    case .integers(let labels):
      for (label, value) in zip(labels, values) { result[Int(label)] = NSNumber(value: value) }
    }
    return result
  }
}

extension MLFeatureValue {
  /// The classes and their probabilities, where a classifier of this framework made the value.
  package var probabilityTable: ProbabilityTable? {
    if case .probabilities(let table) = content { return table }
    return nil
  }
}
