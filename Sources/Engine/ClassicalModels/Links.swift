import Foundation

/// Computes the logistic function, without overflow for large magnitudes.
func logistic(_ value: Double) -> Double {
  if value >= 0 { return 1 / (1 + exp(-value)) }
  let power: Double = exp(value)
  return power / (1 + power)
}

/// Computes the cumulative distribution function of the standard normal distribution.
func normalDistribution(_ value: Double) -> Double {
  0.5 * erfc(-value / 2.0.squareRoot())
}

/// Computes the softmax of some scores.
func softmax(_ scores: [Double]) -> [Double] {
  guard let largest = scores.max() else { return [] }
  let powers: [Double] = scores.map { exp($0 - largest) }
  let sum: Double = powers.reduce(0, +)
  return powers.map { $0 / sum }
}

/// Scales numbers of 0 or more to a sum of 1. Returns equal numbers if all are 0.
func normalized(_ values: [Double]) -> [Double] {
  let sum: Double = values.reduce(0, +)
  if sum == 0 {
    return Array(repeating: 1 / Double(max(values.count, 1)), count: values.count)
  }
  return values.map { $0 / sum }
}
