extension vDSP {
  /// The rule of integration.
  public enum IntegrationRule: Sendable {
    /// Adds the elements after the first element.
    case runningSum
    /// Adds the means of neighbouring elements.
    case trapezoidal
  }

  /// Returns the integral of a vector up to each element. The first integral is 0.
  public static func integrate<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ vector: U, using rule: IntegrationRule, stepSize: T = 1
  ) -> [T] {
    made(count: vector.count) { integrate(vector, using: rule, stepSize: stepSize, result: &$0) }
  }

  /// Writes the integral of a vector up to each element to `result`. The first integral is 0.
  public static func integrate<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, using rule: IntegrationRule, stepSize: T = 1, result: inout R) {
    let function = rule == .runningSum ? T._functions.vrsum : T._functions.vtrapz
    withVectors(vector, &result) { input, output, count in
      withUnsafePointer(to: stepSize) { function(input, 1, $0, output, 1, UInt(count)) }
    }
  }

  /// Returns the values of a polynomial. The coefficient of the highest power comes first.
  public static func evaluatePolynomial<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>
  >(usingCoefficients coefficients: U, withVariables variables: V) -> [T] {
    made(count: variables.count) {
      evaluatePolynomial(
        usingCoefficients: coefficients, withVariables: variables, result: &$0)
    }
  }

  /// Writes the values of a polynomial to `result`. The coefficient of the highest power comes first.
  public static func evaluatePolynomial<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, V: AccelerateBuffer<T>,
    R: AccelerateMutableBuffer<T>
  >(usingCoefficients coefficients: U, withVariables variables: V, result: inout R) {
    precondition(coefficients.count > 0, "A polynomial needs at least one coefficient.")
    withVectors(variables, &result) { variables, output, count in
      withVector(coefficients) {
        T._functions.vpoly($0, 1, variables, 1, output, 1, UInt(count), UInt($1 - 1))
      }
    }
  }

  /// Returns 10 log₁₀(power / reference).
  public static func powerToDecibels<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ power: U, zeroReference: T
  ) -> [T] {
    made(count: power.count) {
      convert(power: power, toDecibels: &$0, zeroReference: zeroReference)
    }
  }

  /// Returns 20 log₁₀(amplitude / reference).
  public static func amplitudeToDecibels<T: vDSP_FloatingPoint, U: AccelerateBuffer<T>>(
    _ amplitude: U, zeroReference: T
  ) -> [T] {
    made(count: amplitude.count) {
      convert(amplitude: amplitude, toDecibels: &$0, zeroReference: zeroReference)
    }
  }

  /// Writes 10 log₁₀(power / reference).
  public static func convert<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(power: U, toDecibels decibels: inout R, zeroReference: T) {
    level(power, zeroReference, 0, &decibels)
  }

  /// Writes 20 log₁₀(amplitude / reference).
  public static func convert<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(amplitude: U, toDecibels decibels: inout R, zeroReference: T) {
    level(amplitude, zeroReference, 1, &decibels)
  }

  private static func level<
    T: vDSP_FloatingPoint, U: AccelerateBuffer<T>, R: AccelerateMutableBuffer<T>
  >(_ vector: U, _ reference: T, _ kind: UInt32, _ result: inout R) {
    withVectors(vector, &result) { input, output, count in
      withUnsafePointer(to: reference) {
        T._functions.vdbcon(input, 1, $0, output, 1, UInt(count), kind)
      }
    }
  }
}
