/// A message with interpolated values. Each value has a privacy.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
  /// The message. Private values are replaced.
  let text: String

  /// Makes a message from its interpolation.
  public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }

  /// Makes a message without values.
  public init(stringLiteral value: String) { text = value }
}

/// Collects the parts of a message.
public struct OSLogInterpolation: StringInterpolationProtocol {
  private(set) var text: String = ""

  /// Begins a message.
  public init(literalCapacity: Int, interpolationCount: Int) {
    text.reserveCapacity(literalCapacity + interpolationCount * 8)
  }

  /// Appends literal text.
  public mutating func appendLiteral(_ literal: String) { text += literal }

  /// Appends a text.
  public mutating func appendInterpolation(
    _ argumentString: @autoclosure () -> String, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    append(argumentString(), align, privacy)
  }

  /// Appends a value's description.
  public mutating func appendInterpolation<T: CustomStringConvertible>(
    _ value: @autoclosure () -> T, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    append(value().description, align, privacy)
  }

  /// Appends an object's description.
  public mutating func appendInterpolation(
    _ argumentObject: @autoclosure () -> NSObject, privacy: OSLogPrivacy = .auto
  ) {
    append(argumentObject().description, .none, privacy)
  }

  /// Appends an error's description.
  public mutating func appendInterpolation(
    _ error: @autoclosure () -> any Error, privacy: OSLogPrivacy = .auto
  ) {
    append(String(describing: error()), .none, privacy)
  }

  /// Appends a type's name.
  public mutating func appendInterpolation(
    _ type: @autoclosure () -> any Any.Type, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    append(String(describing: type()), align, privacy)
  }

  /// Appends a Boolean.
  public mutating func appendInterpolation(
    _ boolean: @autoclosure () -> Bool, format: OSLogBoolFormat = .truth,
    privacy: OSLogPrivacy = .auto
  ) {
    let value: Bool = boolean()
    append(format == .answer ? (value ? "YES" : "NO") : "\(value)", .none, privacy)
  }

  /// Appends an integer.
  public mutating func appendInterpolation<T: FixedWidthInteger>(
    _ number: @autoclosure () -> T, format: OSLogIntegerFormatting = .decimal,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    append(format.text(of: number()), align, privacy)
  }

  /// Appends a float16.
  public mutating func appendInterpolation(
    _ number: @autoclosure () -> Float16, format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    append(format.text(of: Double(number())), align, privacy)
  }

  /// Appends a float32.
  public mutating func appendInterpolation(
    _ number: @autoclosure () -> Float, format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    append(format.text(of: Double(number())), align, privacy)
  }

  /// Appends a float64.
  public mutating func appendInterpolation(
    _ number: @autoclosure () -> Double, format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    append(format.text(of: number()), align, privacy)
  }

  /// Appends an address.
  public mutating func appendInterpolation(
    _ pointer: @autoclosure () -> UnsafeRawPointer, privacy: OSLogPrivacy = .auto
  ) {
    append("\(pointer())", .none, privacy)
  }

  private mutating func append(
    _ value: String, _ alignment: OSLogStringAlignment, _ privacy: OSLogPrivacy
  ) {
    text += alignment.pad(privacy.shown(value))
  }
}
