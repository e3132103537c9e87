/// Pads a value to a number of columns.
public struct OSLogStringAlignment: Sendable {
  private let columns: @Sendable () -> Int
  private let isRight: Bool

  /// No padding.
  public static let none: OSLogStringAlignment = OSLogStringAlignment(
    columns: { 0 }, isRight: false)

  /// Adds spaces before the value.
  public static func right(columns: @autoclosure @escaping @Sendable () -> Int)
    -> OSLogStringAlignment
  {
    OSLogStringAlignment(columns: columns, isRight: true)
  }

  /// Adds spaces after the value.
  public static func left(columns: @autoclosure @escaping @Sendable () -> Int)
    -> OSLogStringAlignment
  {
    OSLogStringAlignment(columns: columns, isRight: false)
  }

  func pad(_ text: String) -> String {
    let padding = String(repeating: " ", count: max(0, columns() - text.count))
    return isRight ? padding + text : text + padding
  }
}

/// How a Boolean appears.
public enum OSLogBoolFormat: Sendable {
  /// `true` or `false`.
  case truth
  /// `YES` or `NO`.
  case answer
}

/// How an integer appears.
public struct OSLogIntegerFormatting: Sendable {
  private let radix: Int
  private let isUppercase: Bool
  private let prefix: String
  private let minimumDigits: Int
  private let showsPlus: Bool

  /// Decimal digits.
  public static let decimal: OSLogIntegerFormatting = decimal()
  /// Hexadecimal digits.
  public static let hex: OSLogIntegerFormatting = hex()
  /// Octal digits.
  public static let octal: OSLogIntegerFormatting = octal()

  /// Decimal digits, at least `minDigits` of them.
  public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0)
    -> OSLogIntegerFormatting
  {
    OSLogIntegerFormatting(
      radix: 10, isUppercase: false, prefix: "", minimumDigits: minDigits,
      showsPlus: explicitPositiveSign)
  }

  /// Hexadecimal digits, at least `minDigits` of them, with `0x` if `includePrefix` is set.
  public static func hex(
    explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
    minDigits: Int = 0
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 16, isUppercase: uppercase, prefix: includePrefix ? "0x" : "",
      minimumDigits: minDigits, showsPlus: explicitPositiveSign)
  }

  /// Octal digits, at least `minDigits` of them, with `0o` if `includePrefix` is set.
  public static func octal(
    explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
    minDigits: Int = 0
  ) -> OSLogIntegerFormatting {
    OSLogIntegerFormatting(
      radix: 8, isUppercase: uppercase, prefix: includePrefix ? "0o" : "",
      minimumDigits: minDigits, showsPlus: explicitPositiveSign)
  }

  func text<T: FixedWidthInteger>(of number: T) -> String {
    // Hexadecimal and octal digits show the bits of negative numbers, as in C.
    let magnitude: T.Magnitude =
      radix == 10 ? number.magnitude : T.Magnitude(truncatingIfNeeded: number)
    let digits = String(magnitude, radix: radix, uppercase: isUppercase)
    let zeros = String(repeating: "0", count: max(0, minimumDigits - digits.count))
    let sign: String = radix == 10 && number < 0 ? "-" : showsPlus ? "+" : ""
    return sign + prefix + zeros + digits
  }
}

/// How a floating-point number appears.
public struct OSLogFloatFormatting: Sendable {
  private let conversion: String
  private let precision: @Sendable () -> Int?
  private let showsPlus: Bool

  /// Decimal digits without exponent: six after the point.
  public static let fixed: OSLogFloatFormatting = OSLogFloatFormatting("f")
  /// Hexadecimal digits with exponent.
  public static let hex: OSLogFloatFormatting = OSLogFloatFormatting("a")
  /// Decimal digits with exponent.
  public static let exponential: OSLogFloatFormatting = OSLogFloatFormatting("e")
  /// The shorter of `fixed` and `exponential`.
  public static let hybrid: OSLogFloatFormatting = OSLogFloatFormatting("g")

  private init(
    _ conversion: String, showsPlus: Bool = false,
    precision: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.conversion = conversion
    self.showsPlus = showsPlus
    self.precision = precision
  }

  /// Decimal digits without exponent.
  public static func fixed(
    precision: @autoclosure @escaping @Sendable () -> Int, explicitPositiveSign: Bool = false,
    uppercase: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting(uppercase ? "F" : "f", showsPlus: explicitPositiveSign) { precision() }
  }

  /// Decimal digits with exponent.
  public static func exponential(
    precision: @autoclosure @escaping @Sendable () -> Int, explicitPositiveSign: Bool = false,
    uppercase: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting(uppercase ? "E" : "e", showsPlus: explicitPositiveSign) { precision() }
  }

  /// The shorter of `fixed` and `exponential`.
  public static func hybrid(
    precision: @autoclosure @escaping @Sendable () -> Int, explicitPositiveSign: Bool = false,
    uppercase: Bool = false
  ) -> OSLogFloatFormatting {
    OSLogFloatFormatting(uppercase ? "G" : "g", showsPlus: explicitPositiveSign) { precision() }
  }

  func text(of number: Double) -> String {
    let digits: String = precision().map { ".\(max(0, min($0, 300)))" } ?? ""
    return String(format: "%\(showsPlus ? "+" : "")\(digits)\(conversion)", number)
  }
}
