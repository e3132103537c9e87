import Foundation
import Platform

/// The probability of every class. This class makes the dictionary only when a caller asks for it. For many small
/// networks, making the dictionary takes longer than running the network.
package final class ProbabilityTable: Sendable {
  private let labels: ClassLabels
  private let values: [Double]

  /// `@unchecked Sendable`: the dictionary contains only immutable strings, integers and `NSNumber`s.
  private struct Boxed: @unchecked Sendable {
    let dictionary: [AnyHashable: NSNumber]
  }

  private let made: Locked<Boxed?> = Locked(nil)

  init(labels: ClassLabels, values: [Double]) {
    self.labels = labels
    self.values = values
  }

  /// The class labels as strings and the probability of each class, in the order of the model's classes.
  package var entries: [(label: String, probability: Double)] {
    switch labels {
    case .strings(let labels): zip(labels, values).map { ($0, $1) }
    case .integers(let labels): zip(labels, values).map { (String($0), $1) }
    }
  }

  /// The probabilities by class label.
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
  /// The table of probabilities, if a classifier of this framework made the value; nil for other values.
  package var probabilityTable: ProbabilityTable? {
    if case .probabilities(let table) = content { return table }
    return nil
  }
}
