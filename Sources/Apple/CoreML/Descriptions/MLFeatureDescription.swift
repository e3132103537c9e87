import Foundation

/// The name, type and constraints of a model's feature.
public final class MLFeatureDescription: NSObject, Sendable {
  enum Constraint: Sendable {
    case none
    case image(MLImageConstraint)
    case multiArray(MLMultiArrayConstraint)
    case dictionary(MLDictionaryConstraint)
    case sequence(MLSequenceConstraint)
    case state(MLStateConstraint)
  }

  /// The feature's name.
  public let name: String

  /// The type of the feature's values.
  public let type: MLFeatureType

  /// Whether a prediction may leave the feature out.
  public let isOptional: Bool

  /// The author's description of the feature.
  let shortDescription: String

  let constraint: Constraint

  init(
    name: String, type: MLFeatureType, isOptional: Bool = false, shortDescription: String = "",
    constraint: Constraint = .none
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.shortDescription = shortDescription
    self.constraint = constraint
  }

  /// The allowed images; nil if the feature is not an image.
  public var imageConstraint: MLImageConstraint? {
    if case .image(let constraint) = constraint { return constraint }
    return nil
  }

  /// The allowed multi-arrays; nil if the feature is not a multi-array.
  public var multiArrayConstraint: MLMultiArrayConstraint? {
    if case .multiArray(let constraint) = constraint { return constraint }
    return nil
  }

  /// The allowed dictionaries; nil if the feature is not a dictionary.
  public var dictionaryConstraint: MLDictionaryConstraint? {
    if case .dictionary(let constraint) = constraint { return constraint }
    return nil
  }

  /// The allowed sequences; nil if the feature is not a sequence.
  public var sequenceConstraint: MLSequenceConstraint? {
    if case .sequence(let constraint) = constraint { return constraint }
    return nil
  }

  /// The shape and the element type of the state's memory; nil if the feature is not a state.
  public var stateConstraint: MLStateConstraint? {
    if case .state(let constraint) = constraint { return constraint }
    return nil
  }

  /// Returns whether the feature allows a value.
  public func isAllowedValue(_ value: MLFeatureValue) -> Bool {
    problem(with: value) == nil
  }

  /// The name, the type, and whether the feature is optional.
  override public var description: String {
    let kind: String
    switch constraint {
    case .image(let constraint): kind = constraint.description
    case .multiArray(let constraint): kind = constraint.description
    default: kind = "\(type)"
    }
    return "\(name) : \(kind)\(isOptional ? " (optional)" : "")"
  }
}
