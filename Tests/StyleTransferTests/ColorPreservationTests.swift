import Imaging
import Testing

@testable import StyleTransfer

/// Tests preserving a photo's colours.
struct ColorPreservationTests {
  private func picture(_ seed: UInt64, scale: Float, shift: Float, side: Int = 24) throws -> Picture
  {
    var random = SmallRandom(seed: seed)
    var pixels: [UInt8] = []
    for _ in 0..<side * side {
      // The three components of a colour are correlated.
      let (a, b, c) = (random.next(), random.next(), random.next())
      for value in [a, 0.6 * a + 0.4 * b, 0.5 * b + 0.5 * c] {
        pixels.append(UInt8(min(255, max(0, shift + scale * value))))
      }
    }
    return try Picture(width: side, height: side, pixels: pixels)
  }

  private func mean(_ picture: Picture, _ channel: Int) -> Double {
    let values: [Double] = stride(from: channel, to: picture.pixels.count, by: 3).map {
      Double(picture.pixels[$0])
    }
    return values.reduce(0, +) / Double(values.count)
  }

  private func covariance(_ picture: Picture, _ first: Int, _ second: Int) -> Double {
    let (one, two) = (mean(picture, first), mean(picture, second))
    let pixels = picture.pixels
    var sum: Double = 0
    for index in stride(from: 0, to: pixels.count, by: 3) {
      sum += (Double(pixels[index + first]) - one) * (Double(pixels[index + second]) - two)
    }
    return sum / Double(pixels.count / 3)
  }

  @Test func `a matched image has the other image's mean and covariance`() throws {
    let style = try picture(1, scale: 60, shift: 40)
    let photo = try picture(2, scale: 110, shift: 90)
    let matched = try style.matchingColors(of: photo)
    for first in 0..<3 {
      #expect(abs(mean(matched, first) - mean(photo, first)) < 1)
      for second in 0..<3 {
        let (found, wanted) = (covariance(matched, first, second), covariance(photo, first, second))
        #expect(abs(found - wanted) < 0.02 * abs(wanted) + 3, "\(first), \(second)")
      }
    }
  }

  @Test func `an image matched with itself does not change`() throws {
    let photo = try picture(3, scale: 120, shift: 60)
    let matched = try photo.matchingColors(of: photo)
    for (one, other) in zip(matched.pixels, photo.pixels) {
      #expect(abs(Int(one) - Int(other)) <= 1)
    }
  }

  @Test func `luminance comes from the painting and colours from the photo`() throws {
    let painting = try Picture(width: 1, height: 1, pixels: [100, 100, 100])
    let photo = try Picture(width: 1, height: 1, pixels: [160, 120, 110])
    let result = try painting.withColors(of: photo).pixels.map { Double($0) }
    #expect(abs(result[0] - result[1] - 40) <= 1)
    #expect(abs(result[1] - result[2] - 10) <= 1)
    #expect(abs(0.299 * result[0] + 0.587 * result[1] + 0.114 * result[2] - 100) < 1)
  }

  @Test func `the square of a matrix's root is the matrix`() {
    var matrix = Matrix3()
    let values: [[Double]] = [[4, 1, 0.5], [1, 3, -0.25], [0.5, -0.25, 2]]
    for row in 0..<3 { for column in 0..<3 { matrix[row, column] = values[row][column] } }
    let square = matrix.squareRoot(inverse: false).times(matrix.squareRoot(inverse: false))
    let unit = matrix.squareRoot(inverse: true).times(matrix.squareRoot(inverse: false))
    for row in 0..<3 {
      for column in 0..<3 {
        #expect(abs(square[row, column] - values[row][column]) < 1e-9)
        #expect(abs(unit[row, column] - (row == column ? 1 : 0)) < 1e-9)
      }
    }
  }
}
