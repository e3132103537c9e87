import CoreML
import Imaging
import Testing

@testable import StyleTransfer

/// Tests masks that preserve a part of the photo.
@Suite struct SubjectMaskTests {
  private func plain(_ grey: UInt8, _ side: Int = 40) throws -> Picture {
    try Picture(width: side, height: side, pixels: [UInt8](repeating: grey, count: side * side * 3))
  }

  /// Creates a mask that is white in the left half.
  private func half(_ side: Int = 40) -> StyleMask {
    StyleMask(
      width: side, height: side, weights: (0..<side * side).map { $0 % side < side / 2 ? 1 : 0 })
  }

  @Test("The result is the photo where the mask is white, and the painting where it is black")
  func sides() throws {
    let result: Picture = try SubjectMask(half(), softness: 0)
      .composed(plain(200), over: plain(50))
    let pixels: [UInt8] = result.pixels
    #expect(pixels[(20 * 40 + 19) * 3] == 200 && pixels[(20 * 40 + 20) * 3] == 50)
  }

  @Test("Edges are soft and monotonic, and no wider than requested")
  func edges() throws {
    let result: Picture = try SubjectMask(half(), softness: 6)
      .composed(plain(200), over: plain(0))
    let row: [UInt8] = (0..<40).map { result.pixels[(20 * 40 + $0) * 3] }
    #expect(row[0] == 200 && row[13] == 200 && row[26] == 0 && row[39] == 0)
    #expect(zip(row, row.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(Set(row).count > 6)
    // The position of the edge has not changed.
    #expect(abs(Int(row[19]) + Int(row[20]) - 200) <= 1)
  }

  @Test("A small mask is scaled to the painting's size without steps")
  func enlarged() throws {
    let small = StyleMask(width: 2, height: 1, weights: [1, 0])
    let result: Picture = try SubjectMask(small, softness: 0)
      .composed(plain(200), over: plain(0))
    let row: [UInt8] = (0..<40).map { result.pixels[$0 * 3] }
    #expect(Set(row).count > 10 && row[0] > 150 && row[39] < 50)
  }

  @Test("Blurring preserves a mask's coverage")
  func coverage() {
    let blurred: StyleMask = half().blurred(radius: 9)
    #expect(abs(blurred.coverage - 0.5) < 1e-6)
    #expect(half().blurred(radius: 0) == half())
  }

  @Test("Probabilities, logits, planes and class indices are accepted as masks")
  func arrays() throws {
    func array(_ shape: [Int], _ values: [Float], _ type: MLMultiArrayDataType = .float32) throws
      -> MLMultiArray
    {
      let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: type)
      for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
      return array
    }
    let share = try #require(SubjectFinder.mask(array([1, 1, 2, 2], [0, 0.25, 1, 0.5])))
    #expect(share.weights == [0, 0.25, 1, 0.5])
    let logit = try #require(SubjectFinder.mask(array([2, 2], [-20, 20, 0, 20])))
    #expect(abs(logit.weights[2] - 0.5) < 1e-6 && logit.weights[1] > 0.999)
    let planes = try #require(
      SubjectFinder.mask(array([2, 2, 2], [9, 0, 0, 0, 0, 9, 0, 0])))
    #expect(planes.weights[0] < 0.001 && planes.weights[1] > 0.999)
    #expect(abs(planes.weights[2] - 0.5) < 1e-6)
    let classes = try #require(SubjectFinder.mask(array([2, 2], [0, 15, 0, 3], .int32)))
    #expect(classes.weights == [0, 1, 0, 1])
    #expect(SubjectFinder.mask(try array([4], [0, 0, 0, 1])) == nil)
  }
}
