import Foundation

/// A feature of a model: its name, its kind, and which values it takes or has.
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

  /// The kind of its values.
  public let type: MLFeatureType

  /// True when a prediction may be made without it.
  public let isOptional: Bool

  /// What the model's author says about it.
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

  /// What pictures are allowed; nil for other kinds.
  public var imageConstraint: MLImageConstraint? {
    if case .image(let constraint) = constraint { return constraint }
    return nil
  }

  /// What arrays are allowed; nil for other kinds.
  public var multiArrayConstraint: MLMultiArrayConstraint? {
    if case .multiArray(let constraint) = constraint { return constraint }
    return nil
  }

  /// What dictionaries are allowed; nil for other kinds.
  public var dictionaryConstraint: MLDictionaryConstraint? {
    if case .dictionary(let constraint) = constraint { return constraint }
    return nil
  }

  /// What lists are allowed; nil for other kinds.
  public var sequenceConstraint: MLSequenceConstraint? {
    if case .sequence(let constraint) = constraint { return constraint }
    return nil
  }

  /// What memory a state has; nil for other kinds.
  public var stateConstraint: MLStateConstraint? {
    if case .state(let constraint) = constraint { return constraint }
    return nil
  }

  /// True when a prediction may be made with the value.
  public func isAllowedValue(_ value: MLFeatureValue) -> Bool {
    problem(with: value) == nil
  }

  /// Name and kind.
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
