import CBarcode
import CoreGraphics
import Foundation
import Imaging
import Testing
import Vision

/// Tests requests for barcodes with codes that the tests draw.
@Suite("Barcodes", .enabled(if: cbarcode_is_available()))
struct BarcodeTests {
  /// A QR code with the text “ATELIER ÄÖ” in UTF-8, made with the Python package qrcode 8.
  private static let qr = """
    #######..##...#######
    #.....#.#..##.#.....#
    #.###.#..##...#.###.#
    #.###.#..##...#.###.#
    #.###.#.##.##.#.###.#
    #.....#...##..#.....#
    #######.#.#.#.#######
    ..........#..........
    #.#.#.#..##.#...#..#.
    #.####.##.##.#.##....
    #.#.####.###..#.#.###
    #.##.#.######.###....
    #.#...#.####..#.#.#.#
    ........#.##.#.....#.
    #######..##.##.######
    #.....#..######....#.
    #.###.#.#.###.###.##.
    #.###.#..#.....#..##.
    #.###.#.#.....###.#.#
    #.....#..##.#.#....#.
    #######.#.#.#.#...###
    """

  /// Draws the dark modules of a code on white: `scale` pixels for each module, at a distance from the upper left
  /// corner.
  private static func picture(
    _ rows: [String], scale: Int, width: Int, height: Int, left: Int, top: Int
  ) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      pixels.update(repeating: 255)
      for (row, line) in rows.enumerated() {
        for (column, module) in line.enumerated() where module == "#" {
          for y in 0..<scale {
            for x in 0..<scale {
              let pixel = (top + row * scale + y) * width + left + column * scale + x
              for component in 0..<3 { pixels[pixel * 3 + component] = 0 }
            }
          }
        }
      }
    }
  }

  /// Returns the modules of an EAN-13 code: guard bars, six digits in the sets that the first digit chooses, guard
  /// bars, six digits, guard bars.
  private static func ean13(_ digits: [Int]) -> String {
    let odd: [String] = [
      "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011",
      "0110111", "0001011",
    ]
    let sets: [String] = [
      "AAAAAA", "AABABB", "AABBAB", "AABBBA", "ABAABB", "ABBAAB", "ABBBAA", "ABABAB", "ABABBA",
      "ABBABA",
    ]
    func inverted(_ text: String) -> String { String(text.map { $0 == "0" ? "1" : "0" }) }
    var modules = "101"
    for (digit, set) in zip(digits[1...6], sets[digits[0]]) {
      modules += set == "A" ? odd[digit] : String(inverted(odd[digit]).reversed())
    }
    modules += "01010"
    for digit in digits[7...] { modules += inverted(odd[digit]) }
    return String((modules + "101").map { $0 == "1" ? "#" : "." })
  }

  private static func codes(
    _ picture: Picture, _ symbologies: [VNBarcodeSymbology]? = nil, region: CGRect? = nil
  ) throws -> [VNBarcodeObservation] {
    let request = VNDetectBarcodesRequest()
    if let symbologies { request.symbologies = symbologies }
    if let region { request.regionOfInterest = region }
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    return try #require(request.results)
  }

  @Test("A QR code has its text and its corners")
  func quickResponse() throws {
    let rows: [String] = Self.qr.split(separator: "\n").map(String.init)
    let side: Int = rows.count * 4
    let picture = try Self.picture(rows, scale: 4, width: 300, height: 200, left: 60, top: 40)
    let code = try #require(try Self.codes(picture).first)
    #expect(code.symbology == .qr)
    #expect(code.payloadStringValue == "ATELIER ÄÖ")
    let corners: [(CGPoint, Int, Int)] = [
      (code.topLeft, 60, 40), (code.topRight, 60 + side, 40),
      (code.bottomRight, 60 + side, 40 + side), (code.bottomLeft, 60, 40 + side),
    ]
    for (corner, x, y) in corners {
      #expect(abs(Double(corner.x) * 300 - Double(x)) <= 3, "\(corner)")
      #expect(abs((1 - Double(corner.y)) * 200 - Double(y)) <= 3, "\(corner)")
    }
    #expect(abs(Double(code.boundingBox.width) * 300 - Double(side)) <= 6)
    #expect(try Self.codes(picture, [.ean13]).isEmpty)
    #expect(try Self.codes(picture, region: CGRect(x: 0.8, y: 0, width: 0.2, height: 1)).isEmpty)
  }

  @Test("An EAN-13 code has its digits")
  func articleNumber() throws {
    let bars: String = Self.ean13([4, 0, 0, 6, 3, 8, 1, 3, 3, 3, 9, 3, 1])
    let rows = [String](repeating: bars, count: 30)
    let code = try #require(
      try Self.codes(
        Self.picture(rows, scale: 3, width: 400, height: 160, left: 50, top: 30)
      ).first)
    #expect(code.symbology == .ean13)
    #expect(code.payloadStringValue == "4006381333931")
    #expect(code.boundingBox.minX > 0.05 && code.boundingBox.maxX < 0.95)
  }

  @Test("The newer interface reads the same codes")
  func newInterface() async throws {
    let rows: [String] = Self.qr.split(separator: "\n").map(String.init)
    let picture = try Self.picture(rows, scale: 4, width: 160, height: 160, left: 30, top: 30)
    let found = try await DetectBarcodesRequest().perform(on: CGImage(picture))
    #expect(found.map(\.payloadString) == ["ATELIER ÄÖ"])
    #expect(found.map(\.symbology) == [.qr])
    let data = try JSONEncoder().encode(found[0])
    #expect(try JSONDecoder().decode(BarcodeObservation.self, from: data) == found[0])
  }
}
