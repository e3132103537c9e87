import Foundation
import Imaging

/// The distribution of a picture's colours in OKLab, regardless of their positions in the picture.
public struct ColorDistribution: Sendable {
  /// The standard deviation of the lightness over all pixels.
  public let lightnessSpread: Double
  /// The projections of all colours on each of ``directions``, in ascending order.
  private let projections: [[Float]]

  /// The fixed unit vectors (lightness, a, b) on which colours are projected: 32 points of a Fibonacci lattice on half
  /// of the sphere. The other half would give the same distances.
  static let directions: [(lightness: Float, a: Float, b: Float)] = (0..<32).map { index in
    let height: Double = (Double(index) + 0.5) / 32
    let angle: Double = Double(index) * .pi * (3 - 5.0.squareRoot())
    let radius: Double = (1 - height * height).squareRoot()
    return (Float(height), Float(radius * cos(angle)), Float(radius * sin(angle)))
  }

  /// Measures a picture.
  public init(of picture: Picture) { self.init(OKLab.colors(of: picture)) }

  /// Measures colours.
  init(_ colors: [OKLab]) {
    lightnessSpread = OKLabStatistics(colors).lightnessDeviation
    projections = Self.directions.map { (axis) -> [Float] in
      var line: [Float] = colors.map { (color: OKLab) -> Float in
        axis.lightness * color.lightness + axis.a * color.a + axis.b * color.b
      }
      line.sort()
      return line
    }
  }

  /// Returns the sliced Wasserstein distance between the colours of two pictures: the mean, over ``directions``, of the
  /// Wasserstein-1 distance between the projected colours. The unit is that of OKLab's axes.
  ///
  /// **Source:** Rabin, Peyré, Delon and Bernot, “Wasserstein barycenter and its application to texture mixing” (2011),
  /// doi:10.1007/978-3-642-24785-9_37. The paper squares the differences; this function takes absolute values.
  public func distance(to other: ColorDistribution) -> Double {
    let distances: [Double] = zip(projections, other.projections).map { Self.distance($0, $1) }
    return distances.reduce(0, +) / Double(distances.count)
  }

  /// Returns the Wasserstein-1 distance between two ascending lists: the integral, over 0…1, of the difference between
  /// their quantile functions.
  static func distance(_ first: [Float], _ second: [Float]) -> Double {
    let (firstCount, secondCount) = (first.count, second.count)
    // Both quantile functions are constant between multiples of 1/firstCount and of 1/secondCount. Positions are in
    // units of 1/(firstCount · secondCount), so that they are integers.
    var (index, otherIndex, position) = (0, 0, 0)
    var sum: Double = 0
    while index < firstCount, otherIndex < secondCount {
      let end: Int = (index + 1) * secondCount
      let otherEnd: Int = (otherIndex + 1) * firstCount
      let next: Int = min(end, otherEnd)
      sum += Double(abs(first[index] - second[otherIndex])) * Double(next - position)
      position = next
      if end == next { index += 1 }
      if otherEnd == next { otherIndex += 1 }
    }
    return sum / (Double(firstCount) * Double(secondCount))
  }
}
