import Engine
import Foundation
import ModelFormat

/// How a network's training reads examples: inputs and target as float32.
struct NetworkExamples {
  /// What should come out.
  enum Target {
    /// These numbers.
    case numbers(name: String, count: Int)
    /// One of the classes, by label or by index.
    case label(name: String, ClassLabels?, count: Int)
  }

  /// An example: its inputs in the order of the network, and its target.
  struct Example {
    let inputs: [[Float]]
    /// Numbers, or 1 for the class and 0 for all others.
    let target: [Float]
  }

  private let inputs: [NetworkInput]
  private let shapes: [Shape]
  private let images: [Graph.ImagePort?]
  private let target: Target
  private let examples: TrainingExamples
  private var kept: [Int: Example] = [:]

  /// Examples are kept once they are read, where all of them take no more than this.
  private static let mostKept = 256 << 20
  private let keeps: Bool

  init(
    _ examples: TrainingExamples, inputs: [NetworkInput], shapes: [Shape],
    images: [Graph.ImagePort?], target: Target
  ) {
    self.inputs = inputs
    self.shapes = shapes
    self.images = images
    self.target = target
    self.examples = examples
    let each: Int = shapes.map(\.count).reduce(0, +) + target.count
    let (total, overflows) = (each * 4).multipliedReportingOverflow(by: examples.count)
    keeps = !overflows && total <= NetworkExamples.mostKept
  }

  /// The number of examples.
  var count: Int { examples.count }

  /// An example. Errors say which one it is.
  subscript(index: Int) -> Example {
    mutating get throws {
      if let known = kept[index] { return known }
      let example: Example = try examples.read(index, read)
      if keeps { kept[index] = example }
      return example
    }
  }

  private func read(_ features: any MLFeatureProvider) throws -> Example {
    var values: [[Float]] = []
    for (number, input) in inputs.enumerated() {
      let value: MLFeatureValue? = try input.value(in: features)
      let shape: Shape = try input.tensorType(for: value).shape
      guard shape == shapes[number] else {
        throw MLModelError(
          .featureType,
          "The input feature \"\(input.name)\" has the shape \(shape); training takes the declared one,"
            + " \(shapes[number]).")
      }
      values.append(try input.floats(of: value, shape, image: images[number]))
    }
    return Example(inputs: values, target: try target.floats(in: features))
  }
}

extension NetworkExamples.Target {
  /// The number of values.
  var count: Int {
    switch self {
    case .numbers(_, let count), .label(_, _, let count): count
    }
  }

  fileprivate func floats(in features: any MLFeatureProvider) throws -> [Float] {
    switch self {
    case .numbers(let name, let count):
      let numbers: [Double] = try TrainingExamples.value(name, of: features).numbers(name: name)
      guard numbers.count == count else {
        throw MLModelError(
          .featureType,
          "The target \"\(name)\" has \(numbers.count) values, but the network gives \(count).")
      }
      return numbers.map { Float($0) }
    case .label(let name, let labels, let count):
      let position: Int = try self.position(
        of: try TrainingExamples.value(name, of: features), name, labels)
      guard (0..<count).contains(position) else {
        throw MLModelError(
          .featureType,
          "The target \"\(name)\" is class \(position), but the network has \(count) classes.")
      }
      var shares: [Float] = Array(repeating: 0, count: count)
      shares[position] = 1
      return shares
    }
  }

  /// The index of a class: that of its label where the labels are known, else the number itself.
  private func position(
    of value: MLFeatureValue, _ name: String, _ labels: ClassLabels?
  ) throws -> Int {
    let found: Int?
    switch (labels, value.type) {
    case (.strings(let labels)?, .string): found = labels.firstIndex(of: value.stringValue)
    case (.integers(let labels)?, .int64): found = labels.firstIndex(of: value.int64Value)
    case (nil, _):
      let number: Double? = try value.numbers(name: name).first
      found = number.flatMap { Int(exactly: $0) }
    default:
      throw MLModelError(
        .featureType,
        "The target \"\(name)\" is \(value.type.sentenceName), which the model's class labels are not."
      )
    }
    guard let found else {
      throw MLModelError(
        .featureType,
        "The target \"\(name)\" is \(value.labelText), which is no class of the model.")
    }
    return found
  }
}

extension MLFeatureValue {
  /// The value of a label, for errors.
  fileprivate var labelText: String {
    switch type {
    case .string: "'\(stringValue)'"
    case .int64: "\(int64Value)"
    default: "\(doubleValue)"
    }
  }
}
