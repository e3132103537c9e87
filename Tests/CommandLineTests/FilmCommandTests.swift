import Foundation
import Imaging
import ModelFormat
import StyleTransfer
import Testing

/// The programs that read and write films.
enum FilmTools {
  /// Whether ffmpeg and ffprobe are installed.
  static let areInstalled: Bool = ["ffmpeg", "ffprobe"].allSatisfy { name in
    ["/usr/bin", "/usr/local/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}

/// Tests `atelier film` with small films that ffmpeg makes.
@Suite(.enabled(if: Program.isBuilt && FilmTools.areInstalled), .serialized)
struct FilmCommandTests {
  /// Runs ffmpeg or ffprobe in a folder, and returns its standard output.
  @discardableResult
  func tool(_ name: String, _ words: String, in folder: URL) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + words.split(separator: " ").map(String.init)
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes: Data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(name) \(words)")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Makes a film of 64 × 48 pixels in a folder.
  func makeFilm(_ name: String, frames: Int, more: String = "", in folder: URL) throws {
    try tool(
      "ffmpeg",
      "-v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v \(frames) \(more) -c:v libx264"
        + " -crf 12 -pix_fmt yuv420p \(name)", in: folder)
  }

  func film(_ options: String, in folder: URL) throws -> Program.Outcome {
    try Program.run(
      ["film"] + options.split(separator: " ").map(String.init) + ["--style", "scream", "--lite"],
      folder: folder)
  }

  /// Returns a line for each frame of a film, with the frame's time and hash.
  func frames(_ name: String, in folder: URL) throws -> [String] {
    try tool(
      "ffmpeg", "-v error -i \(name) -map 0:v:0 -fps_mode passthrough -f framemd5 -", in: folder
    )
    .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  func times(_ name: String, in folder: URL) throws -> [Double] {
    try tool(
      "ffprobe", "-v error -select_streams v:0 -show_entries packet=pts_time -of csv=p=0 \(name)",
      in: folder
    ).split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }.sorted()
  }

  @Test("Sound, subtitles, chapters, texts and rotation are kept")
  func tracks() throws {
    try Fixtures.withFolder { folder in
      try Data("1\n00:00:00,100 --> 00:00:00,500\nHello\n".utf8)
        .write(to: folder.appendingPathComponent("s.srt"))
      try Data(
        (";FFMETADATA1\ntitle=Mine\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\n"
          + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\nEND=800\ntitle=Two\n").utf8
      ).write(to: folder.appendingPathComponent("m.txt"))
      try makeFilm("plain.mp4", frames: 20, in: folder)
      try tool(
        "ffmpeg",
        "-v error -i plain.mp4 -f lavfi -i sine=440:d=0.8 -f lavfi -i sine=880:d=0.8 -i s.srt -i m.txt"
          + " -map 0:v -map 1:a -map 2:a -map 3:s -map_metadata 4 -map_chapters 4 -c:v copy -c:a aac"
          + " -c:s mov_text -metadata:s:a:1 language=deu -metadata:s:v:0 rotate=90 rich.mp4",
        in: folder)
      let outcome = try film("rich.mp4 -o painted.mp4", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let entries: String =
        "-v error -of compact -show_entries stream=codec_name,codec_type,width,height:"
        + "stream_side_data=rotation:stream_tags=language:chapter=start_time,end_time:chapter_tags=title:"
        + "format_tags=title "
      let before = try tool("ffprobe", entries + "rich.mp4", in: folder)
      #expect(before.contains("Two") && before.contains("deu"))
      #expect(try tool("ffprobe", entries + "painted.mp4", in: folder) == before)
      #expect(try times("painted.mp4", in: folder) == times("rich.mp4", in: folder))
      // Only films and their sources are left: no folder of segments, no draft.
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!left.contains { $0.contains("film") || $0.contains("draft") }, "\(left)")
    }
  }

  @Test("A film whose painting was killed three times has the frames of an undisturbed one")
  func kills() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mp4", frames: 60, in: folder)
      let whole = try film("film.mp4 -o whole.mp4 --segment 8", in: folder)
      #expect(whole.status == 0, "\(whole.errors)")
      let words: [String] = [
        "film", folder.path + "/film.mp4", "-o", folder.path + "/painted.mp4", "--segment", "8",
        "--style", "scream", "--lite",
      ]
      for delay in [0.35, 0.6, 0.8] {
        _ = try Program.run(words, killedAfter: delay, environment: [:], program: "atelier")
      }
      let last = try Program.run(words)
      #expect(last.status == 0, "\(last.errors)")
      #expect(try frames("painted.mp4", in: folder) == frames("whole.mp4", in: folder))
    }
  }

  @Test("A cut-off film is painted as far as it can be read, and that is said")
  func cutOff() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mkv", frames: 50, in: folder)
      let file = folder.appendingPathComponent("film.mkv")
      let bytes = try Data(contentsOf: file)
      try bytes.prefix(bytes.count * 6 / 10).write(to: file)
      let outcome = try film("film.mkv -o painted.mkv", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("damaged"), "\(outcome.errors)")
      #expect((5..<50).contains(try times("painted.mkv", in: folder).count))
    }
  }

  @Test("Raw frames go from standard input to standard output; a picture folder becomes a film")
  func otherInputs() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mp4", frames: 6, in: folder)
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("in"), withIntermediateDirectories: true)
      try tool("ffmpeg", "-v error -i film.mp4 in/%d.png", in: folder)
      #expect(try film("in -o painted.gif --fps 10", in: folder).status == 0)
      #expect(try times("painted.gif", in: folder).count == 6)
      #expect(try film("in -o out --fps 10", in: folder).status == 0)
      let pictures = try FileManager.default.contentsOfDirectory(
        atPath: folder.appendingPathComponent("out").path)
      #expect(pictures.count == 6, "\(pictures)")
      let late = try film("film.mp4 -o late.png --still 9", in: folder)
      #expect(late.status == 1 && late.errors.contains("no frame at 9.0 s; it ends after "))
      let missing = try Program.run(
        ["film", "film.mp4", "-o", "late.png", "--style", "none.jpg"], folder: folder)
      #expect(missing.status == 1 && missing.errors.contains("'none.jpg' for --style"))
      let still = try film("film.mp4 -o still.png --still 0.1", in: folder)
      #expect(still.status == 0, "\(still.errors)")
      #expect(try Picture(contentsOfFile: folder.path + "/still.png").width == 64)
    }
  }

  @Test("Films and frames are reported as JSON, and raw frames have standard output alone")
  func json() throws {
    try Fixtures.withFolder { folder in
      for name in ["a.mp4", "b.mp4"] { try makeFilm(name, frames: 3, in: folder) }
      func reports(_ text: String) throws -> [[String: Any]] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
      }
      let films = try film("a.mp4 b.mp4 -o painted --json", in: folder)
      #expect(films.status == 0, "\(films.errors)")
      let list = try reports(films.output)
      #expect(list.map { $0["film"] as? String } == ["a.mp4", "b.mp4"])
      #expect(list.map { $0["painting"] as? String } == ["painted/a.mp4", "painted/b.mp4"])
      #expect(list.allSatisfy { $0["frames"] as? Int == 3 && $0["width"] as? Int == 64 })
      let still = try film("a.mp4 -o still.png --still 0.04 --json", in: folder)
      #expect(try reports(still.output)[0]["time"] as? Double == 0.04, "\(still.errors)")
      let raw = try film("a.mp4 -o - --json", in: folder)
      #expect(raw.status == 0 && raw.errors.contains("\"frames\" : 3"), "\(raw.errors)")
      #expect(!raw.output.contains("frames"))
      let quiet = try film("a.mp4 -o c.mp4 --quiet", in: folder)
      #expect(quiet.status == 0 && quiet.output.isEmpty, "\(quiet.output)")
    }
  }

  @Test("A transition begins in the first style and ends in the last one, also after a kill")
  func transition() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mp4", frames: 30, in: folder)
      func painted(_ style: String, _ name: String) throws -> [Picture] {
        let words: [String] =
          ["film", folder.path + "/film.mp4", "-o", folder.path + "/\(name)", "--lite"]
          + style.split(separator: " ").map(String.init) + ["--stability", "0"]
        let outcome = try Program.run(words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try ["000000", "000014", "000029"].map {
          try Picture(contentsOfFile: folder.path + "/\(name)/frame-\($0).png")
        }
      }
      func distance(_ one: Picture, _ other: Picture) -> Double {
        let sum: Int = zip(one.pixels, other.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(one.pixels.count)
      }
      let first = try painted("--style scream", "first")
      let last = try painted("--style great-wave", "last")
      let both = try painted("--transition scream→great-wave", "both")
      #expect(both[0] == first[0])
      #expect(both[2] == last[2])
      let (whole, part) = (distance(first[1], last[1]), distance(first[1], both[1]))
      #expect(whole > 10 && (0.35...0.65).contains(part / whole), "\(part) of \(whole)")
      // Interrupted, the frames are the same.
      let words: [String] = [
        "film", folder.path + "/film.mp4", "--lite", "--style", "scream", "--transition",
        "great-wave", "--segment", "6", "-o",
      ]
      #expect(try Program.run(words + [folder.path + "/whole.mp4"]).status == 0)
      for delay in [0.6, 0.9] {
        _ = try Program.run(
          words + [folder.path + "/parts.mp4"], killedAfter: delay, environment: [:],
          program: "atelier")
      }
      #expect(try Program.run(words + [folder.path + "/parts.mp4"]).status == 0)
      #expect(try frames("parts.mp4", in: folder) == frames("whole.mp4", in: folder))
    }
  }

  @Test(
    "A network of several styles paints in one of them, in a mixture, or from one to another")
  func severalStyles() throws {
    let gallery: URL = GenerateTests.root.appendingPathComponent("Gallery")
    let network: String = gallery.appendingPathComponent("lite.mlmodel").path
    try Fixtures.withFolder { folder in
      try makeFilm("in.mp4", frames: 4, in: folder)
      func outcome(_ words: [String]) throws -> Program.Outcome {
        // Without losses, so that frames can be compared.
        try Program.run(
          ["film", "in.mp4", "--own-colors", "--codec", "ffv1"] + words, folder: folder)
      }
      func painted(_ name: String, _ words: String...) throws -> [String] {
        let result = try outcome(["-o", name] + words)
        #expect(result.status == 0, "\(result.errors)")
        return try frames(name, in: folder)
      }
      let wave: [String] = try painted("a.mkv", "--model", network, "--style", "great-wave")
      #expect(try painted("b.mkv", "--style", "great-wave", "--lite") == wave)
      let mixture = "great-wave:0.5,scream:0.5"
      let mixed: [String] = try painted("c.mkv", "--model", network, "--style", mixture)
      #expect(mixed != wave)
      #expect(try painted("d.mkv", "--style", mixture, "--lite") == mixed)
      let change: [String] = try painted(
        "e.mkv", "--model", network, "--transition", "great-wave→scream")
      #expect(change[0] == wave[0] && change[3] != wave[3])
      for (words, sentence) in [
        (["--model", network], "'lite.mlmodel' has several styles; choose with --style: "),
        (["--model", network, "--style", "nobody"], "nobody"),
        (["--model", network, "--style", "scream", "--lite"], "leave it out with --model"),
      ] {
        let refused = try outcome(["-o", "f.mkv"] + words)
        #expect(refused.status != 0 && refused.errors.contains(sentence), "\(refused.errors)")
      }
    }
  }

  @Test("A transition that is unclear is refused with a sentence")
  func unclearTransition() throws {
    for (words, sentence) in [
      ("--transition a→b→c", "expected a style"),
      ("--transition scream→great-wave --style scream", "names the first style"),
      ("--transition great-wave --style scream --still 1", "one style"),
    ] {
      let outcome = try Program.run(
        ["film", "a.mp4", "-o", "b.mp4"] + words.split(separator: " ").map(String.init))
      #expect(outcome.status != 0 && outcome.errors.contains(sentence), "\(outcome.errors)")
    }
  }

  @Test("JSON says what was painted, and a mask leaves the rest of the film as it is")
  func maskAndJSON() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mkv", frames: 12, in: folder)
      #expect(try film("film.mkv -o own --strength 0", in: folder).status == 0)
      let mask = try Picture(width: 64, height: 48) { pixels in
        for index in pixels.indices { pixels[index] = index / 3 % 64 < 32 ? 255 : 0 }
      }
      try mask.write(toFile: folder.path + "/mask.png")
      let outcome = try film("film.mkv -o out --mask mask.png --json", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let reports = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
      let report = try #require(reports.first)
      #expect(report["frames"] as? Int == 12 && report["width"] as? Int == 64)
      #expect(report["isComplete"] as? Bool == true)
      let own = try Picture(contentsOfFile: folder.path + "/own/frame-000007.png")
      let painted = try Picture(contentsOfFile: folder.path + "/out/frame-000007.png")
      var (left, right) = (0, 0)
      for y in 0..<48 {
        for x in 0..<64 {
          let index: Int = (y * 64 + x) * 3
          let gap: Int = abs(Int(own.pixels[index]) - Int(painted.pixels[index]))
          if x < 30 { left += gap } else if x > 34 { right += gap }
        }
      }
      #expect(left / (30 * 48) > 10, "painted: \(left / (30 * 48))")
      #expect(right == 0, "not painted: \(right)")
    }
  }

  /// Writes a model whose mask is white where a picture of 64 × 48 pixels is bright.
  private func writeBrightness(to file: URL) throws {
    var kernel = Spec.ConvolutionLayerParams()
    (kernel.outputChannels, kernel.kernelChannels) = (1, 3)
    (kernel.kernelSize, kernel.hasBias) = ([1, 1], true)
    kernel.weights = Spec.WeightParams([Float](repeating: 20 / 765, count: 3))
    kernel.bias = Spec.WeightParams([-10])
    kernel.convolutionPaddingType = .valid(Spec.ValidPadding())
    var network = Spec.NeuralNetwork()
    network.layers = [
      .making {
        ($0.name, $0.input, $0.output) = ("sum", ["image"], ["mask"])
        $0.layer = .convolution(kernel)
      }
    ]
    let model: Spec.Model = .making { model in
      model.specificationVersion = 4
      model.type = .neuralNetwork(network)
      model.description = .making {
        $0.input = [
          .making { feature in
            feature.name = "image"
            feature.type = .making {
              $0.type = .imageType(
                .making { ($0.width, $0.height, $0.colorSpace) = (64, 48, .rgb) })
            }
          }
        ]
        $0.output = [
          .making { feature in
            feature.name = "mask"
            feature.type = .making {
              $0.type = .multiArrayType(
                .making { ($0.shape, $0.dataType) = ([1, 48, 64], .float32) })
            }
          }
        ]
      }
    }
    try model.write(to: file)
  }

  @Test("The subject that a model finds in each frame stays unchanged, or only it is painted")
  func subject() throws {
    try Fixtures.withFolder { folder in
      // The bright half moves from left to right.
      try tool(
        "ffmpeg",
        "-v error -f lavfi -i color=gray:size=64x48:rate=25,geq=lum='if(lt(mod(X+N*4\\,64)\\,32)\\,225\\,20)+mod(X*Y\\,10)':cb=128:cr=128"
          + " -frames:v 9 -c:v libx264rgb -qp 0 film.mkv", in: folder)
      try tool("ffmpeg", "-v error -i film.mkv own-%d.png", in: folder)
      try writeBrightness(to: folder.appendingPathComponent("bright.mlmodel"))
      /// The mean changes of the bright and of the dark part of a frame.
      func changes(_ options: String, _ frame: Int) throws -> (bright: Double, dark: Double) {
        let outcome = try film(
          "film.mkv -o out --stability 0 --own-colors --softness 0 --subject bright.mlmodel "
            + options, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let own = try Picture(contentsOfFile: folder.path + "/own-\(frame + 1).png").pixels
        let painted = try Picture(contentsOfFile: folder.path + "/out/frame-00000\(frame).png")
          .pixels
        var (bright, dark) = ((0, 1), (0, 1))
        for index in own.indices {
          let gap: Int = abs(Int(own[index]) - Int(painted[index]))
          if own[index] > 190 { bright = (bright.0 + gap, bright.1 + 1) }
          if own[index] < 50 { dark = (dark.0 + gap, dark.1 + 1) }
        }
        return (
          Double(bright.0) / Double(bright.1), Double(dark.0) / Double(dark.1)
        )
      }
      for frame in [0, 8] {
        let kept = try changes("", frame)
        #expect(kept.bright < 2 && kept.dark > 10, "\(kept)")
        let painted = try changes("--invert", frame)
        #expect(painted.bright > 10 && painted.dark < 2, "\(painted)")
      }
      for (words, sentence) in [
        ("--subject bright.mlmodel --mask own-1.png", "name two masks"),
        ("--invert", "--invert needs --subject MODEL"),
        ("--subject missing.mlmodel", "there is no such file"),
      ] {
        let refused = try film("film.mkv -o no.mkv " + words, in: folder)
        #expect(refused.status != 0 && refused.errors.contains(sentence), "\(refused.errors)")
      }
    }
  }

  @Test("With a changed mask or model, a film is painted anew from its first frame")
  func changedFiles() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mp4", frames: 100, in: folder)
      let files = FileManager.default
      func exportModel(_ style: String) throws {
        let model = folder.appendingPathComponent("style.mlmodel")
        let exported = try Program.run("styles", "--style", style, "--lite", "-o", model.path)
        try #require(exported.status == 0, "\(exported.errors)")
      }
      func writeMask(_ white: Range<Int>) throws {
        try Picture(width: 64, height: 48) { pixels in
          for index in pixels.indices { pixels[index] = white ~= index / 3 % 64 ? 255 : 0 }
        }.write(toFile: folder.path + "/mask.png")
      }
      func words(_ output: String) -> [String] {
        [
          "film", folder.path + "/film.mp4", "-o", folder.path + "/" + output, "--segment", "6",
          "--model", folder.path + "/style.mlmodel", "--mask", folder.path + "/mask.png",
        ]
      }
      /// Begins to paint, is killed when the first segment is in the journal, changes files, and paints to the end.
      func frames(after change: () throws -> Void) throws -> [String] {
        try exportModel("scream")
        try writeMask(0..<32)
        // When the third segment begins, the first one is in the journal.
        let segment: String = folder.path + "/.painted.mp4.film/segment-2.nut"
        let wasKilled: Bool = try Program.run(
          words("painted.mp4"), environment: [:], killedAfter: 0,
          since: { files.fileExists(atPath: segment) })
        try #require(wasKilled && files.fileExists(atPath: segment))
        try change()
        let outcome = try Program.run(words("painted.mp4"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.errors.contains("were finished before"), "\(outcome.errors)")
        return try self.frames("painted.mp4", in: folder)
      }
      func undisturbed() throws -> [String] {
        let outcome = try Program.run(words("whole.mp4"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try self.frames("whole.mp4", in: folder)
      }
      let masked: [String] = try frames { try writeMask(16..<64) }
      #expect(try masked == undisturbed())
      let restyled: [String] = try frames { try exportModel("great-wave") }
      #expect(try restyled == undisturbed())
      #expect(masked != restyled)
    }
  }

  @Test("With a changed network of the gallery, a film is painted anew from its first frame")
  func changedGallery() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mp4", frames: 100, in: folder)
      let gallery = folder.appendingPathComponent("Gallery")
      let environment = ["ATELIER_GALLERY": gallery.path, "XDG_CACHE_HOME": folder.path + "/cache"]
      try FileManager.default.createDirectory(at: gallery, withIntermediateDirectories: true)
      try Data("sea\tsea.png\tThe Sea\tA Painter\t1900\there\n".utf8).write(
        to: gallery.appendingPathComponent("paintings.tsv"))
      try Picture(width: 48, height: 40, pixels: [UInt8](repeating: 90, count: 48 * 40 * 3))
        .write(toFile: folder.path + "/sea.png")
      func publish(seed: UInt64) throws {
        let model: String = folder.path + "/many.mlmodel"
        let network = StyleNetwork(.cnnLite, seed: seed).withStyles(2)
        try MultiStyleNetwork(network, names: ["sea", MultiStyleNetwork.photoName]).model()
          .write(to: URL(fileURLWithPath: model))
        let outcome = try Program.run([
          "publish", "sea", "--model", model, "--lite", "--paintings", folder.path, "--gallery",
          gallery.path,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      let words: [String] = [
        "film", folder.path + "/film.mp4", "-o", folder.path + "/painted.mp4", "--segment", "6",
        "--style", "sea", "--lite",
      ]
      // When the third segment begins, the first one is in the journal.
      let segment: String = folder.path + "/.painted.mp4.film/segment-2.nut"
      for (seed, goesOn) in [(5, true), (6, false)] as [(UInt64, Bool)] {
        try? FileManager.default.removeItem(atPath: folder.path + "/painted.mp4")
        try publish(seed: 5)
        let wasKilled: Bool = try Program.run(
          words, environment: environment, killedAfter: 0,
          since: { FileManager.default.fileExists(atPath: segment) })
        try #require(wasKilled && FileManager.default.fileExists(atPath: segment))
        if seed != 5 {
          // Only the network changes: the style's folder keeps its files and their times.
          let (style, kept) = (gallery.path + "/sea", folder.path + "/kept")
          try FileManager.default.moveItem(atPath: style, toPath: kept)
          try publish(seed: seed)
          try FileManager.default.removeItem(atPath: style)
          try FileManager.default.moveItem(atPath: kept, toPath: style)
        }
        let outcome = try Program.run(words, environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("were finished before") == goesOn, "\(outcome.errors)")
      }
    }
  }

  @Test("Along the motion, a painting changes hardly more than the film")
  func steadiness() throws {
    try Fixtures.withFolder { folder in
      // A pan over waves in steps of half a pixel, with noise.
      try tool(
        "ffmpeg",
        "-v error -f lavfi -i mandelbrot=size=1024x768:rate=25:end_scale=3 -frames:v 1 still.png",
        in: folder)
      try tool(
        "ffmpeg",
        "-v error -loop 1 -framerate 25 -i still.png -vf crop=640:480:60+n:80+n/2:exact=1,"
          + "scale=320:240:flags=area,noise=alls=6:allf=t -frames:v 24 -c:v libx264 -crf 8 film.mkv",
        in: folder)
      func ratio(_ stability: String) throws -> Double {
        let outcome = try film(
          "film.mkv -o painted\(stability).mkv --crf 8 --stability \(stability) --report report.json --json",
          in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let reports =
          try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
        let changes = try #require(reports?.first?["changes"] as? [[String: Any]])
        return try #require(changes.first?["ratio"] as? Double)
      }
      let (alone, held) = (try ratio("0"), try ratio("0.85"))
      #expect(held < 4, "E_warp of the painting is \(held) × that of the film")
      #expect(held < alone / 4, "each frame alone: \(alone)")
    }
  }

  @Test(
    "A large film is painted at half its size, and the result has its size; a still looks the same")
  func largeFilm() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mkv", frames: 4, in: folder)
      func painted(_ options: String) throws -> Picture {
        let outcome = try film("film.mkv -o out-0.5 \(options)", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try Picture(contentsOfFile: folder.path + "/out-0.5/frame-000000.png")
      }
      let whole = try painted("--stability 0")
      for stability in ["0", "0.85"] {
        let options = "--paint-size 32 --stability \(stability)"
        let half = try painted(options)
        #expect(half.size == PictureSize(width: 64, height: 48) && whole.size == half.size)
        #expect(whole != half)
        let still = try film("film.mkv -o still.png --still 0 \(options)", in: folder)
        #expect(still.status == 0, "\(still.errors)")
        let gaps: [Int] = zip(
          try Picture(contentsOfFile: folder.path + "/still.png").pixels, half.pixels
        )
        .map { abs(Int($0) - Int($1)) }
        #expect(gaps.reduce(0, +) < gaps.count, "\(gaps.max() ?? 0)")
      }
      let late = try film("film.mkv -o late.png --still 0.12", in: folder)
      #expect(late.status == 0, "\(late.errors)")
      let beyond = try film("film.mkv -o no.png --still 9", in: folder)
      #expect(beyond.status != 0 && beyond.errors.contains("film.mkv"), "\(beyond.errors)")
    }
  }

  @Test("Without ffmpeg, one sentence names the package")
  func noPrograms() throws {
    let outcome = try Program.run(
      ["film", "a.mp4", "-o", "b.mp4", "--style", "scream", "--lite"],
      environment: ["PATH": "/nonexistent"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("apt-get install ffmpeg"), "\(outcome.errors)")
  }
}
