// Verifies a log folder and proofs with the code of Go's checksum database, and writes some for others to verify.
//
//	verify check FOLDER VKEY PROOFS.json   signature, every entry against its leaf, the tree over the tiles, proofs
//	verify write COUNT                     a signed tree head, records and proofs as JSON on stdout
//	verify resign VKEY SKEY                a note on stdin, opened with VKEY and signed by SKEY too, on stdout
//
// Exit code 1 and the reason on stderr when something does not hold.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Record is the proof that an entry stands at an index of the tree of a size.
type Record struct {
	Index, Size int64
	Root        tlog.Hash
	Proof       tlog.RecordProof
}

// Tree is the proof that the tree of an old size is the beginning of the tree of a new one.
type Tree struct {
	Old, New         int64
	OldRoot, NewRoot tlog.Hash
	Proof            tlog.TreeProof
}

// Proofs is what goes from one implementation to the other.
type Proofs struct {
	Key     string
	Note    []byte
	Entries [][]byte
	Records []Record
	Trees   []Tree
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: verify check|write|resign ...")
	}
	switch arguments := os.Args[2:]; os.Args[1] {
	case "check":
		check(arguments[0], arguments[1], arguments[2])
	case "write":
		count, err := strconv.ParseInt(arguments[0], 10, 64)
		must(err)
		write(count)
	case "resign":
		resign(arguments[0], arguments[1])
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// place is where a tile stands: Go's own path has the height in it, the published layout has not.
func place(level string, n int64, width int) string {
	groups := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		groups = fmt.Sprintf("x%03d/%s", n%1000, groups)
	}
	if width < 256 {
		groups += fmt.Sprintf(".p/%d", width)
	}
	return filepath.Join("tile", level, groups)
}

// folder reads tiles of a log.
type folder struct {
	path  string
	known map[tlog.Tile][]byte
}

func (f *folder) Height() int { return 8 }

func (f *folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range tiles {
		if f.known[tile] == nil {
			data, err := os.ReadFile(filepath.Join(f.path, place(strconv.Itoa(tile.L), tile.N, tile.W)))
			if err != nil {
				return nil, err
			}
			f.known[tile] = data
		}
		found = append(found, f.known[tile])
	}
	return found, nil
}

func (f *folder) SaveTiles([]tlog.Tile, [][]byte) {}

// entries of bundle n in the tree of a size.
func (f *folder) entries(n, size int64) [][]byte {
	width := size - n*256
	if width > 256 {
		width = 256
	}
	data, err := os.ReadFile(filepath.Join(f.path, place("entries", n, int(width))))
	must(err)
	var found [][]byte
	for len(data) > 0 {
		length := int(binary.BigEndian.Uint16(data))
		found = append(found, data[2:2+length])
		data = data[2+length:]
	}
	if int64(len(found)) != width {
		log.Fatalf("bundle %d has %d entries, not %d", n, len(found), width)
	}
	return found
}

// head is the tree that a signed checkpoint states.
func head(message []byte, vkey string) tlog.Tree {
	verifier, err := note.NewVerifier(vkey)
	must(err)
	opened, err := note.Open(message, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		log.Fatalf("not a checkpoint of %s: %q", verifier.Name(), opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	hash, err := tlog.ParseHash(lines[2])
	must(err)
	return tlog.Tree{N: size, Hash: hash}
}

func check(path, vkey, file string) {
	message, err := os.ReadFile(filepath.Join(path, "checkpoint"))
	must(err)
	tree := head(message, vkey)
	tiles := &folder{path, map[tlog.Tile][]byte{}}
	reader := tlog.TileHashReader(tree, tiles)
	root, err := tlog.TreeHash(tree.N, reader)
	must(err)
	if root != tree.Hash {
		log.Fatal("the tiles do not give the signed root")
	}
	leaves := checkEntries(tiles, reader, tree)
	checkTiles(tiles, tree, leaves)
	checkProofs(file, reader, tree, leaves)
}

// memory reads hashes that were stored one after the other.
func memory(stored *[]tlog.Hash) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var found []tlog.Hash
		for _, index := range indexes {
			found = append(found, (*stored)[index])
		}
		return found, nil
	})
}

// checkTiles makes the whole tree anew from the entries: its root and every tile must be the same.
//
// TileHashReader alone is not enough: before x/mod 0.40 it leaves up to two tiles unverified.
func checkTiles(tiles *folder, tree tlog.Tree, leaves []tlog.Hash) {
	var stored []tlog.Hash
	reader := memory(&stored)
	for n, leaf := range leaves {
		hashes, err := tlog.StoredHashesForRecordHash(int64(n), leaf, reader)
		must(err)
		stored = append(stored, hashes...)
	}
	root, err := tlog.TreeHash(tree.N, reader)
	must(err)
	if root != tree.Hash {
		log.Fatal("the entries do not give the signed root")
	}
	for _, tile := range tlog.NewTiles(8, 0, tree.N) {
		if width := int(tree.N >> (8 * tile.L) & 255); tile.W < 256 && tile.W != width {
			continue // of an older tree
		}
		data, err := tlog.ReadTileData(tile, reader)
		must(err)
		found, err := tiles.ReadTiles([]tlog.Tile{tile})
		must(err)
		if !bytes.Equal(data, found[0]) {
			log.Fatalf("another tile than the entries give: %v", tile)
		}
	}
}

// checkEntries compares every entry with its leaf as the tiles have it.
func checkEntries(tiles *folder, reader tlog.HashReader, tree tlog.Tree) []tlog.Hash {
	var leaves []tlog.Hash
	for start := int64(0); start < tree.N; start += 256 {
		var indexes []int64
		var computed []tlog.Hash
		for i, entry := range tiles.entries(start/256, tree.N) {
			indexes = append(indexes, tlog.StoredHashIndex(0, start+int64(i)))
			computed = append(computed, tlog.RecordHash(entry))
		}
		stored, err := reader.ReadHashes(indexes)
		must(err)
		for i := range stored {
			if stored[i] != computed[i] {
				log.Fatalf("entry %d is not the one in the tree", start+int64(i))
			}
		}
		leaves = append(leaves, computed...)
	}
	return leaves
}

// checkProofs verifies the proofs of a file, and that they are those which Go makes from the tiles.
func checkProofs(file string, reader tlog.HashReader, tree tlog.Tree, leaves []tlog.Hash) {
	data, err := os.ReadFile(file)
	must(err)
	var proofs Proofs
	must(json.Unmarshal(data, &proofs))
	for _, p := range proofs.Records {
		must(tlog.CheckRecord(p.Proof, p.Size, p.Root, p.Index, leaves[p.Index]))
		own, err := tlog.ProveRecord(p.Size, p.Index, reader)
		must(err)
		same(own, p.Proof)
	}
	for _, p := range proofs.Trees {
		must(tlog.CheckTree(p.Proof, p.New, p.NewRoot, p.Old, p.OldRoot))
		root, err := tlog.TreeHash(p.New, reader)
		must(err)
		own, err := tlog.ProveTree(p.New, p.Old, reader)
		must(err)
		same(own, p.Proof)
		same([]tlog.Hash{root}, []tlog.Hash{p.NewRoot})
	}
	fmt.Printf("%d entries, %d record proofs, %d tree proofs\n", tree.N, len(proofs.Records), len(proofs.Trees))
}

func same(one, two []tlog.Hash) {
	if fmt.Sprint(one) != fmt.Sprint(two) {
		log.Fatalf("another proof: %v, %v", one, two)
	}
}

func write(count int64) {
	const name = "go.example/log"
	var stored []tlog.Hash
	reader := memory(&stored)
	var proofs Proofs
	roots := make([]tlog.Hash, count+1)
	for n := int64(0); n < count; n++ {
		entry := make([]byte, n%50)
		_, err := rand.Read(entry)
		must(err)
		hashes, err := tlog.StoredHashes(n, entry, reader)
		must(err)
		stored = append(stored, hashes...)
		proofs.Entries = append(proofs.Entries, entry)
		roots[n+1], err = tlog.TreeHash(n+1, reader)
		must(err)
	}
	for size := int64(1); size <= count; size++ {
		for n := int64(0); n < size; n++ {
			record, err := tlog.ProveRecord(size, n, reader)
			must(err)
			proofs.Records = append(proofs.Records, Record{n, size, roots[size], record})
			tree, err := tlog.ProveTree(size, n+1, reader)
			must(err)
			proofs.Trees = append(proofs.Trees, Tree{n + 1, size, roots[n+1], roots[size], tree})
		}
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	must(err)
	signer, err := note.NewSigner(skey)
	must(err)
	text := fmt.Sprintf("%s\n%d\n%v\n", name, count, roots[count])
	proofs.Key = vkey
	proofs.Note, err = note.Sign(&note.Note{Text: text}, signer)
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(proofs))
}

func resign(vkey, skey string) {
	message, err := io.ReadAll(os.Stdin)
	must(err)
	verifier, err := note.NewVerifier(vkey)
	must(err)
	opened, err := note.Open(message, note.VerifierList(verifier))
	must(err)
	signer, err := note.NewSigner(skey)
	must(err)
	signed, err := note.Sign(opened, signer)
	must(err)
	_, err = io.Copy(os.Stdout, bytes.NewReader(signed))
	must(err)
}
