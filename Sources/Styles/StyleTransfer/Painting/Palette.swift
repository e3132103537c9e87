import Foundation
import Imaging

/// The colours of a painting: the mean and the spread of its lightness, and the mean and covariance of its colour axes,
/// in OKLab. ``applied(to:limits:)`` gives them to a painted picture, within ``Limits``.
///
///     L′ = μ₂ + k · (L − μ₁)              k = σ₂ / σ₁, limited
///     c′ = μ₂ + T · (c − μ₁)              T = √Σ₁⁻¹ · √(√Σ₁ · Σ₂ · √Σ₁) · √Σ₁⁻¹, its eigenvalues limited
///
/// L is the lightness, and c are the two colour axes. The statistics with the index 1 are the picture's, those with the
/// index 2 are the painting's. T is the linear map between the two covariances that changes colours least.
///
/// **Source:** Pitié and Kokaram, “The linear Monge-Kantorovitch linear colour mapping for example-based colour
/// transfer” (2007). The limits were chosen by looking at paintings.
public struct Palette: Sendable, Equatable {
  /// How far a picture's colours may be changed.
  public struct Limits: Sendable, Equatable {
    /// The range of the factor for the lightness.
    public var contrast: ClosedRange<Double>
    /// The range of the factors for the colour axes.
    public var color: ClosedRange<Double>

    /// For the picture of a style network.
    public static let network = Limits(contrast: 0.9...1.9, color: 0.6...1.6)
    /// For a picture painted by optimisation.
    public static let optimization = Limits(contrast: 0.6...1.6, color: 0.5...1.6)
  }

  private let statistics: OKLabStatistics

  /// The number of samples along each axis of the table of colours.
  static let tableSide = 33
  /// The largest number of pixels from which statistics are computed.
  private static let mostPixels = 65_536

  /// Computes the palette of a painting without its frame.
  public init(_ painting: Picture) throws {
    statistics = Self.statistics(of: try painting.withoutAlpha.withoutFrame())
  }

  /// Mixes palettes: computes the statistics of the colours of all paintings together, with weights.
  init(mixing parts: [(palette: Palette, weight: Double)]) {
    statistics = OKLabStatistics(mixing: parts.map { ($0.palette.statistics, $0.weight) })
  }

  static func statistics(of picture: Picture) -> OKLabStatistics {
    picture.withPixels { statistics(of: $0) }
  }

  private static func statistics(of pixels: UnsafeBufferPointer<UInt8>) -> OKLabStatistics {
    let area: Int = pixels.count / 3
    // With an odd step and an even width, different rows contribute different columns.
    let step: Int = max(1, area / mostPixels | 1)
    return OKLabStatistics(
      stride(from: 0, to: area, by: step).map { pixel in
        OKLab(red: pixels[pixel * 3], green: pixels[pixel * 3 + 1], blue: pixels[pixel * 3 + 2])
      })
  }

  /// Returns the palette of a gallery style's painting. Nil if the model's file is not in a gallery.
  public static func ofStyle(withModel file: URL) throws -> Palette? {
    let folder: URL = file.deletingLastPathComponent()
    let names: [String] = [StyleDescription.descriptionFile, StyleDescription.paintingFile]
    let files: [URL] = names.map { folder.appendingPathComponent($0) }
    guard files.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) else { return nil }
    return try Palette(Picture(contentsOf: files[1]))
  }

  /// Gives a picture the palette's colours. Its alpha does not change.
  ///
  /// - Parameter limits: How far the colours may be changed.
  public func applied(to picture: Picture, limits: Limits = .network) throws -> Picture {
    let result = try Picture(width: picture.width, height: picture.height) { target in
      picture.withPixels { _ = target.update(fromContentsOf: $0) }
      apply(to: target, limits: limits)
    }
    return try result.withAlpha(of: picture)
  }

  /// Gives pixels of red, green and blue bytes the palette's colours. For large pictures, whose copy would take memory.
  func apply(to pixels: UnsafeMutableBufferPointer<UInt8>, limits: Limits = .network) {
    let table: [Float] = table(from: Self.statistics(of: UnsafeBufferPointer(pixels)), limits)
    let scale: Float = Float(Self.tableSide - 1) / 255
    table.withUnsafeBufferPointer { (table: UnsafeBufferPointer<Float>) in
      for index in stride(from: 0, to: pixels.count, by: 3) {
        let position =
          SIMD3<Float>(
            Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2])) * scale
        let color: SIMD3<Float> = Self.interpolated(table, position)
        for channel in 0..<3 {
          pixels[index + channel] = UInt8(min(255, max(0, color[channel].rounded())))
        }
      }
    }
  }

  /// Gives a picture of 16 bits the palette's colours. Its alpha does not change.
  public func applied(to picture: DeepPicture) throws -> DeepPicture {
    let table: [Float] = table(from: Self.statistics(of: try picture.rounded()), .network)
    let scale: Float = Float(Self.tableSide - 1) / 65535
    let result = try DeepPicture(width: picture.width, height: picture.height) { target in
      picture.withComponents { (pixels: UnsafeBufferPointer<UInt16>) in
        table.withUnsafeBufferPointer { (table: UnsafeBufferPointer<Float>) in
          for index in stride(from: 0, to: pixels.count, by: 3) {
            let position =
              SIMD3<Float>(
                Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2])) * scale
            let color: SIMD3<Float> = Self.interpolated(table, position) * 257
            for channel in 0..<3 {
              target[index + channel] = UInt16(min(65535, max(0, color[channel].rounded())))
            }
          }
        }
      }
    }
    return result.withAlpha(of: picture)
  }

  /// Returns the colour of the table at a position, by trilinear interpolation, 0…255.
  ///
  /// - Parameter position: The position along each axis, 0…`tableSide - 1`.
  @inline(__always)
  private static func interpolated(
    _ table: UnsafeBufferPointer<Float>, _ position: SIMD3<Float>
  ) -> SIMD3<Float> {
    let side: Int = tableSide
    let low = SIMD3<Int>(
      min(side - 2, Int(position.x)), min(side - 2, Int(position.y)), min(side - 2, Int(position.z))
    )
    let part = SIMD3<Float>(
      position.x - Float(low.x), position.y - Float(low.y), position.z - Float(low.z))
    var sum = SIMD3<Float>(repeating: 0)
    for corner in 0..<8 {
      let (red, green, blue) = (corner >> 2, corner >> 1 & 1, corner & 1)
      let weight: Float =
        (red == 1 ? part.x : 1 - part.x) * (green == 1 ? part.y : 1 - part.y)
        * (blue == 1 ? part.z : 1 - part.z)
      let entry: Int = (((low.x + red) * side + low.y + green) * side + low.z + blue) * 3
      sum += weight * SIMD3<Float>(table[entry], table[entry + 1], table[entry + 2])
    }
    return sum
  }

  /// Returns the new samples for a grid of sRGB colours, with red as the outermost axis. Each entry has `channels`
  /// numbers: red, green, blue, and a zero if there are four.
  func table(from own: OKLabStatistics, _ limits: Limits, channels: Int = 3) -> [Float] {
    // A picture of one colour gets small deviations, so that no quotient is infinite.
    let (before, after) = (own.withLeastDeviations, statistics.withLeastDeviations)
    let contrast: Double = Self.limited(
      after.lightnessDeviation / before.lightnessDeviation, limits.contrast)
    let map: SymmetricMatrix = before.covariance.map(to: after.covariance)
      .withEigenvalues(in: limits.color)
    let side: Int = Self.tableSide
    let steps: [UInt8] = (0..<side).map { UInt8((Double($0) * 255 / Double(side - 1)).rounded()) }
    var result: [Float] = []
    result.reserveCapacity(side * side * side * channels)
    for red in steps {
      for green in steps {
        for blue in steps {
          let color = OKLab(red: red, green: green, blue: blue)
          let (a, b) = (Double(color.a) - own.mean.a, Double(color.b) - own.mean.b)
          let mapped = OKLab(
            lightness: Float(
              statistics.mean.lightness
                + contrast * (Double(color.lightness) - own.mean.lightness)),
            a: Float(statistics.mean.a + map.first * a + map.both * b),
            b: Float(statistics.mean.b + map.both * a + map.second * b))
          let samples = mapped.samples
          result.append(samples.red)
          result.append(samples.green)
          result.append(samples.blue)
          if channels == 4 { result.append(0) }
        }
      }
    }
    return result
  }

  private static func limited(_ value: Double, _ range: ClosedRange<Double>) -> Double {
    min(range.upperBound, max(range.lowerBound, value))
  }
}
